import { asList, entriesOf, isObject, type Json, propertyOf, textOf } from './json.js'
import { momentInputs } from './moments.js'
import { rangeOf, toFileTexts, toRuleTexts } from './rules.js'

// References may lead in a circle.
const most = 20

/** Follows the references of a document: each part of it that is read goes through here. */
export type Follow = (value: unknown) => Json

export const createFollow = (document: unknown): Follow =>
  function follow(value) {
    let target = value
    for (let count = 0; count < most; count++) {
      const reference = textOf(propertyOf(target, '$ref'))
      if (reference === undefined) return isObject(target) ? target : {}
      const path = reference.replace(/^#\//, '').split('/')
      target = path.reduce(
        (at: unknown, key) => propertyOf(at, key.replaceAll('~1', '/').replaceAll('~0', '~')),
        document
      )
    }
    return {}
  }

/** The kinds of values that a form tells apart. What is none of them is written as JSON. */
export type Kind = 'text' | 'number' | 'boolean' | 'choice' | 'moment' | 'file' | 'object' | 'list' | 'union' | 'json'

/** A field of a record, of a body or of a query. */
export interface Field {
  readonly name: string
  readonly kind: Kind
  /** The allowed values, if they are listed. */
  readonly choices: readonly unknown[]
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly isLong: boolean
  /** Whether there may be several files. */
  readonly isMany: boolean
  readonly isSecret: boolean
  /** The media types of files. */
  readonly accept: readonly string[]
  readonly description: string | undefined
  /** The format of a string: `email`, `date-time`. */
  readonly format: string | undefined
  /** Limits and step of a number. */
  readonly range: { readonly min?: number; readonly max?: number; readonly step?: number }
  /** More rules, in words: `8 to 1024 characters`. */
  readonly rules: readonly string[]
  /** The default of the server. */
  readonly standard: unknown
  readonly example: unknown
  /** Whether only the server sets it. */
  readonly isReadOnly: boolean
  /** More that the document says of it: `deprecated`, `x-unit: kg`. */
  readonly marks: readonly string[]
  /** The service whose id it is, as the keyword `x-refers-to` has it. */
  readonly refersTo: string | undefined
  /** The field of a list item. */
  readonly item: Field | undefined
  /**
   * The fields of an object, or of each of those that it may be. They are read when they are
   * needed: a schema may lead to itself.
   */
  variants(): readonly (readonly Field[])[]
}

/** A field whose value is typed into one line: that of a query. */
export const toLineField = (field: Field): Field => ({
  ...field,
  kind: ['object', 'list', 'union', 'json', 'file'].includes(field.kind) ? 'text' : field.kind,
  isLong: false
})

const unions = ['anyOf', 'oneOf']

/** The branches of the unions that a schema has. */
export const branchesWritten = (schema: Json): unknown[] => unions.flatMap((key) => asList(propertyOf(schema, key)))

/** Returns the branches of a union, or the schema itself if it is no union. */
export const alternativesOf = (schema: Json, follow: Follow): Json[] => {
  const branches = branchesWritten(schema).map(follow)
  return branches.length === 0 ? [schema] : branches
}

const typesOf = (schema: Json) => [propertyOf(schema, 'type')].flat()
const isNull = (schema: Json) => typesOf(schema).join() === 'null' || propertyOf(schema, 'const') === null
const isFileSchema = (schema: Json) => propertyOf(schema, 'format') === 'binary'

// Deeper objects are edited as JSON.
const deepest = 5

/** Reads a field from its schema. */
export function toField(name: string, fieldSchema: unknown, follow: Follow, isRequired = false, depth = 0): Field {
  const schema = follow(fieldSchema)
  const all = alternativesOf(schema, follow)
  const branches = all.filter((branch) => !isNull(branch))
  const [first = {}] = branches
  const values = branches.map((branch) =>
    Object.hasOwn(branch, 'const') ? [branch.const] : asList(propertyOf(branch, 'enum'))
  )
  const isChoice = values.every((list) => list.length > 0)
  const choices = isChoice ? values.flat().filter((value) => value !== null) : []
  const file = follow(propertyOf(first, 'items'))
  const isMany = isFileSchema(file)
  const item = depth < deepest && !isMany && isListSchema(first) ? itemOf(first, follow, depth) : undefined
  const areObjects = depth < deepest && branches.length > 0 && branches.every((branch) => hasFields(branch, follow))
  const kind =
    choices.length > 0
      ? 'choice'
      : isMany || (branches.length > 0 && branches.every(isFileSchema))
        ? 'file'
        : areObjects
          ? branches.length > 1
            ? 'union'
            : 'object'
          : branches.length === 1
            ? item === undefined
              ? kindOf(first)
              : 'list'
            : 'json'
  const accept = kind === 'file' ? mediaTypesOf(isMany ? [file] : branches) : []
  const maximum = propertyOf(first, 'maxLength')
  const format = textOf(propertyOf(first, 'format'))
  const isSecret = kind === 'text' && (format === 'password' || propertyOf(first, 'writeOnly') === true)
  const simple = branches.length === 1 ? first : {}
  return {
    name,
    kind,
    choices,
    isRequired,
    isNullable: all.length > branches.length || typesOf(first).includes('null') || values.flat().includes(null),
    isMany,
    isLong: kind === 'text' && !isSecret && typeof maximum === 'number' && maximum > 300,
    isSecret,
    description: textOf(propertyOf(schema, 'description')) ?? textOf(propertyOf(simple, 'description')),
    format: kind === 'text' || kind === 'moment' ? format : undefined,
    range: kind === 'number' ? rangeOf(simple) : {},
    accept,
    rules: kind === 'choice' ? [] : kind === 'file' ? toFileTexts(isMany ? file : first, accept) : toRuleTexts(simple),
    standard: propertyOf(schema, 'default') ?? propertyOf(simple, 'default'),
    example: exampleIn(schema) ?? exampleIn(simple),
    isReadOnly: propertyOf(schema, 'readOnly') === true,
    marks: marksIn(schema),
    refersTo: textOf(propertyOf(schema, 'x-refers-to')) ?? textOf(propertyOf(simple, 'x-refers-to')),
    item: kind === 'list' ? item : undefined,
    variants: () => (areObjects ? branches.map((branch) => fieldsOf(branch, follow, depth + 1)) : [])
  }
}

const exampleIn = (schema: Json): unknown => asList(propertyOf(schema, 'examples'))[0] ?? propertyOf(schema, 'example')

const marksIn = (schema: Json): string[] =>
  entriesOf(schema).flatMap(([key, value]) => {
    if (key === 'deprecated') return value === true ? [key] : []
    return key.startsWith('x-') && key !== 'x-refers-to' ? [`${key}: ${textOf(value) ?? JSON.stringify(value)}`] : []
  })

/** The media types of files; none if any type will do. */
function mediaTypesOf(files: readonly Json[]): string[] {
  const types = files
    .flatMap((file) => propertyOf(file, 'contentMediaType') ?? [])
    .filter((type) => typeof type === 'string')
  return types.some((type) => type === '*/*' || type === 'application/octet-stream') ? [] : types
}

const isListSchema = (schema: Json) =>
  typesOf(schema)
    .filter((type) => type !== 'null')
    .join() === 'array'

/** Returns the field of a list item, `undefined` if it has no better form than JSON. */
function itemOf(schema: Json, follow: Follow, depth: number): Field | undefined {
  if (!isObject(schema.items)) return undefined
  const item = toField('', schema.items, follow, true, depth + 1)
  return item.kind === 'json' ? undefined : item
}

/** Whether a schema is that of an object with fields. A `type` says so, or goes without saying. */
function hasFields(schema: Json, follow: Follow): boolean {
  const types = typesOf(schema).filter((type) => type !== 'null' && type !== undefined)
  return (types.length === 0 || types.join() === 'object') && propertiesOf(schema, follow).length > 0
}

function kindOf(schema: Json): Kind {
  if (isFileSchema(schema)) return 'file'
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.length !== 1) return 'json'
  const [type] = types
  if (type === 'string') return momentInputs.has(textOf(propertyOf(schema, 'format'))) ? 'moment' : 'text'
  return type === 'number' || type === 'integer' ? 'number' : type === 'boolean' ? type : 'json'
}

const propertiesOf = (schema: Json, follow: Follow) =>
  [...partsOf(schema, follow)].flatMap((part) => entriesOf(propertyOf(part, 'properties')))

/** The fields of an object, in the order of its schema. */
export function fieldsOf(objectSchema: unknown, follow: Follow, depth = 0): Field[] {
  const parts = [...partsOf(objectSchema, follow)]
  const required = parts.flatMap((part) => asList(propertyOf(part, 'required')))
  const properties = new Map(parts.flatMap((part) => entriesOf(propertyOf(part, 'properties'))))
  const own = [...properties].filter(([, schema]) => propertyOf(schema, 'x-parameter') === undefined)
  return own.map(([name, schema]) => toField(name, schema, follow, required.includes(name), depth))
}

/** A schema and those that it is made of, each once: they may lead in a circle. */
function partsOf(whole: unknown, follow: Follow, parts = new Set<Json>()): Set<Json> {
  const schema = follow(whole)
  if (parts.has(schema)) return parts
  parts.add(schema)
  for (const part of asList(propertyOf(schema, 'allOf'))) partsOf(part, follow, parts)
  return parts
}
