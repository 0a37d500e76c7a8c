import { entriesOf, type Json, propertyOf, textOf } from './json.js'
import { alternativesOf, createFollow, type Field, type Follow, toField, toLineField } from './schema.js'

/** A field that a query may name, with the operators that stand by it. */
export interface FilterField extends Field {
  /** `''` for a plain value. */
  readonly operators: readonly string[]
}

/** Labels of the operators, in the order of the menu. */
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
  ['$ilike', 'like, any case'],
  ['part', 'contains'],
  ['empty', 'is empty']
])

/** The operators for a field that the document does not describe. */
export const usualOperators = ['', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$nin']

/** The operators that take several values. */
export const listOperators = ['$in', '$nin']
const patterns = ['$like', '$ilike']

const unknownField = toField('', {}, createFollow({}))

/** The field that a condition is typed into: a list and a pattern are texts. */
export function toConditionField(field: Field = unknownField, operator = ''): Field {
  const { kind, choices, ...rest } = toLineField(field)
  if ([...listOperators, ...patterns, 'part'].includes(operator))
    return { ...rest, kind: 'text', choices: [], refersTo: undefined }
  return kind === 'boolean' ? { ...rest, kind: 'choice', choices: [true, false] } : { ...rest, kind, choices }
}

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
    const [, name = '', operator] = /(.+?)(?:\[(\$\w+)\])?$/s.exec(textOf(propertyOf(parameter, 'name')) ?? '') ?? []
    if (name === '' || (name.startsWith('$') && name !== '$search')) continue
    const earlierField = fields.get(name)
    const parameterField = operator === undefined ? readField(name, parameter, follow) : { operators: [operator] }
    const operators = [...(earlierField?.operators ?? []), ...parameterField.operators]
    fields.set(name, { ...toField(name, {}, follow), ...earlierField, ...parameterField, operators })
  }
  return [...fields.values()].map((field) => ({ ...field, operators: [...sorted(field.operators), ...moreOf(field)] }))
}

/** The operators that the page makes of others: a part of a text, and `null` where a URL can say it. */
function moreOf({ kind, isNullable, operators }: FilterField): string[] {
  const isPattern = operators.some((operator) => patterns.includes(operator))
  return [...(isPattern ? ['part'] : []), ...(isNullable && kind !== 'text' ? ['empty'] : [])]
}

/** A field may be a value, an object of operators, or either. */
function readField(name: string, parameter: Json, follow: Follow): FilterField {
  const schema = follow(propertyOf(parameter, 'schema'))
  const all = alternativesOf(schema, follow)
  const operatorsIn = (branch: Json) =>
    entriesOf(propertyOf(branch, 'properties')).filter(([key]) => key.startsWith('$'))
  const values = all.filter((branch) => operatorsIn(branch).length === 0)
  const operators = all.flatMap(operatorsIn)
  const value = values.length === 0 ? operators[0]?.[1] : { anyOf: values }
  return {
    ...toField(name, value, follow, propertyOf(parameter, 'required') === true),
    description: textOf(propertyOf(parameter, 'description')),
    operators: [...(values.length > 0 ? [''] : []), ...operators.map(([operator]) => operator)]
  }
}

function sorted(operators: readonly string[]): string[] {
  const isKnown = (operator: string) => operators.includes(operator)
  const doubled = synonyms.filter(([, other]) => isKnown(other)).map(([synonym]) => synonym)
  const order = [...operatorNames.keys()]
  const place = (operator: string) => (order.includes(operator) ? order.indexOf(operator) : order.length)
  return [...new Set(operators)].filter((operator) => !doubled.includes(operator)).sort((a, b) => place(a) - place(b))
}
