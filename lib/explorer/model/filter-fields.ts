import { branchesOf, entriesOf, type Field, type Follow, type Json, own, textOf, toField } from './schema.js'

/** A field that a query may name, with the operators that stand by it. */
export interface FilterField extends Field {
  /** `''` for a plain value. */
  readonly operators: readonly string[]
}

/** What the operators are called, in the order in which they are offered. */
export const operatorNames: ReadonlyMap<string, string> = new Map([
  ['', '='],
  ['$ne', '≠'],
  ['$lt', '<'],
  ['$lte', '≤'],
  ['$le', '≤'],
  ['$gt', '>'],
  ['$gte', '≥'],
  ['$ge', '≥'],
  ['$in', 'one of'],
  ['$nin', 'none of'],
  ['$like', 'like'],
  ['$ilike', 'like, any case']
])

/** What is offered for a field of which the document says nothing. */
export const usualOperators = ['', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$nin']

// The same as another one that is known.
const synonyms: readonly (readonly [string, string])[] = [
  ['$eq', ''],
  ['$le', '$lte'],
  ['$ge', '$gte']
]

/** The parameters of a query as fields: `area`, with its operators, and `area[$in]` are one. */
export function toFilterFields(parameters: readonly Json[], follow: Follow): FilterField[] {
  const fields = new Map<string, FilterField>()
  for (const parameter of parameters) {
    const [, name = '', operator] = /(.+?)(?:\[(\$\w+)\])?$/s.exec(textOf(own(parameter, 'name')) ?? '') ?? []
    if (name === '' || name.startsWith('$')) continue
    const known = fields.get(name)
    const found = operator === undefined ? readField(name, parameter, follow) : { operators: [operator] }
    const operators = [...(known?.operators ?? []), ...found.operators]
    fields.set(name, { ...toField(name, {}, follow), ...known, ...found, operators })
  }
  return [...fields.values()].map((field) => ({ ...field, operators: sorted(field.operators) }))
}

/** A field may be a value, an object of operators, or either. */
function readField(name: string, parameter: Json, follow: Follow): FilterField {
  const schema = follow(own(parameter, 'schema'))
  const all = branchesOf(schema, follow)
  const operatorsIn = (one: Json) => entriesOf(own(one, 'properties')).filter(([key]) => key.startsWith('$'))
  const values = all.filter((one) => operatorsIn(one).length === 0)
  const operators = all.flatMap(operatorsIn)
  const value = values.length === 0 ? operators[0]?.[1] : { anyOf: values }
  return {
    ...toField(name, value, follow, own(parameter, 'required') === true),
    description: textOf(own(parameter, 'description')),
    operators: [...(values.length > 0 ? [''] : []), ...operators.map(([operator]) => operator)]
  }
}

function sorted(operators: readonly string[]): string[] {
  const isKnown = (one: string) => operators.includes(one)
  const doubled = synonyms.filter(([, other]) => isKnown(other)).map(([one]) => one)
  const order = [...operatorNames.keys()]
  const place = (one: string) => (order.includes(one) ? order.indexOf(one) : order.length)
  return [...new Set(operators)].filter((one) => !doubled.includes(one)).sort((a, b) => place(a) - place(b))
}
