import { toFieldText, toVariantLabel } from './data.js'
import type { Field } from './schema.js'
import type { ExploredService } from './services.js'

/** A field of a service, as its records and the bodies of its methods have it. */
export interface SchemaRow {
  /** With the fields around it: `place.street`, `talks[].title`. */
  readonly name: string
  /** As the first method has it that takes it, else as records have it. */
  readonly field: Field
  /** Who sets and sees it: `set by the server`, `required in create`. */
  readonly access: readonly string[]
  /** The fields of the other methods that take it, by method. */
  readonly others: readonly (readonly [method: string, field: Field])[]
}

/** The rows of a service, by what they are about: its records, then the bodies of custom methods. */
export function toSchemaTables({ operations }: ExploredService): [title: string, rows: SchemaRow[]][] {
  const all = [...operations.values()]
  const [find, get] = [operations.get('find'), operations.get('get')]
  const record = flatten([find?.record ?? [], get?.record ?? []])
  const bodies = all.map(({ name, bodies, isCustom }) => ({ name, isCustom, fields: flatten(bodies) }))
  const described = bodies.filter(({ fields }) => fields.size > 0)
  const ofRecords = described.filter(({ isCustom }) => !isCustom)
  const tables = described
    .filter(({ isCustom }) => isCustom)
    .map((method): [string, SchemaRow[]] => [method.name, toSchemaRows(new Map(), [method])])
  return [['', toSchemaRows(record, ofRecords)] as [string, SchemaRow[]], ...tables].filter(
    ([, rows]) => rows.length > 0
  )
}

type FieldsByName = ReadonlyMap<string, Field>

const mostLevels = 3
// A document may have any number of fields, and some within themselves.
const mostFields = 500

/** Lists fields with those in them. Those of equal names are the same. */
function flatten(variants: readonly (readonly Field[])[]): FieldsByName {
  const found = new Map<string, Field>()
  function add(fields: readonly Field[], before: string, depth: number): void {
    for (const field of fields) {
      const name = before + field.name
      if (found.size >= mostFields) return
      if (!found.has(name)) found.set(name, field)
      const [place, { variants }] = field.item ? [`${name}[]`, field.item] : [name, field]
      const inside = depth < mostLevels ? variants() : []
      for (const fields of inside)
        add(fields, `${place}${inside.length > 1 ? ` (${toVariantLabel(fields)})` : ''}.`, depth + 1)
    }
  }
  for (const fields of variants) add(fields, '', 1)
  return found
}

interface MethodFields {
  readonly name: string
  readonly fields: FieldsByName
}

function toSchemaRows(record: FieldsByName, methods: readonly MethodFields[]): SchemaRow[] {
  const all = new Map(record)
  for (const { fields } of methods) for (const [name, field] of fields) if (!all.has(name)) all.set(name, field)
  return [...all].map(([name, shown]) => {
    const taking = methods.flatMap(({ name: method, fields }) => {
      const field = fields.get(name)
      return field === undefined || field.isReadOnly ? [] : [[method, field] as const]
    })
    const [[, field] = ['', shown], ...others] = taking
    const isHidden = record.size > 0 && !record.has(name)
    return {
      name,
      field,
      others,
      access: [...toAccess(taking, methods.length), ...(isHidden ? ['never sent back'] : [])]
    }
  })
}

/** @param count the number of methods that take data */
function toAccess(taking: readonly (readonly [string, Field])[], count: number): string[] {
  if (count === 0) return []
  if (taking.length === 0) return ['set by the server']
  const namesOf = (some: typeof taking) => some.map(([name]) => name).join(', ')
  const required = taking.filter(([, field]) => field.isRequired)
  return [
    ...(taking.length < count ? [`only in ${namesOf(taking)}`] : []),
    ...(required.length === 0
      ? []
      : [required.length === taking.length ? 'required' : `required in ${namesOf(required)}`])
  ]
}

const typeTexts: ReadonlyMap<Field['kind'], string> = new Map([
  ['text', 'string'],
  ['choice', 'enum'],
  ['moment', 'string'],
  ['union', 'one of several objects'],
  ['json', 'any JSON']
])

/** The type of a field as JSON has it: `string`, `integer`, `list of string`. */
export function toTypeText({ kind, range, item }: Field): string {
  if (kind === 'list') return `list of ${item === undefined ? 'any JSON' : toTypeText(item)}`
  if (kind === 'number' && range.step === 1) return 'integer'
  return typeTexts.get(kind) ?? kind
}

const examples: ReadonlyMap<string | undefined, string> = new Map([
  ['email', 'ada@example.com'],
  ['uri', 'https://example.com'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
  ['date', '2030-01-31'],
  ['time', '12:00:00Z'],
  ['date-time', '2030-01-31T12:00:00Z']
])

/** An example of a value: that of the document, else its default, or one of its format. */
export const toExample = ({ example, standard, choices, format }: Field): string =>
  toFieldText(example ?? standard ?? choices[0] ?? examples.get(format))
