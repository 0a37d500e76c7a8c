/** A part of a document. It is data from anywhere: whatever it should be, it may be something else. */
export type Json = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own property, where there is an object that has it. */
export const propertyOf = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

export const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

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
export type Kind = 'text' | 'number' | 'boolean' | 'choice' | 'file' | 'json'

/** A field of a record, of a body or of a query. */
export interface Field {
  readonly name: string
  readonly kind: Kind
  /** What may be chosen. */
  readonly choices: readonly unknown[]
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly isLong: boolean
  /** Whether there may be several files. */
  readonly isMany: boolean
  readonly isSecret: boolean
  readonly description: string | undefined
}

const unions = ['anyOf', 'oneOf']

/** The branches of the unions that a schema has. */
export const branchesWritten = (schema: Json): unknown[] => unions.flatMap((key) => asList(propertyOf(schema, key)))

/** What a value may be: each branch, or the schema itself where it is no union. */
export const alternativesOf = (schema: Json, follow: Follow): Json[] => {
  const branches = branchesWritten(schema).map(follow)
  return branches.length === 0 ? [schema] : branches
}

const typesOf = (schema: Json) => [propertyOf(schema, 'type')].flat()
const isNull = (schema: Json) => typesOf(schema).join() === 'null' || propertyOf(schema, 'const') === null
const isFileSchema = (schema: Json) => propertyOf(schema, 'format') === 'binary'

/** What a schema says of a field. */
export function toField(name: string, fieldSchema: unknown, follow: Follow, isRequired = false): Field {
  const schema = follow(fieldSchema)
  const all = alternativesOf(schema, follow)
  const branches = all.filter((branch) => !isNull(branch))
  const [first = {}] = branches
  const values = branches.map((branch) =>
    Object.hasOwn(branch, 'const') ? [branch.const] : asList(propertyOf(branch, 'enum'))
  )
  const isChoice = values.every((list) => list.length > 0)
  const choices = isChoice ? values.flat().filter((value) => value !== null) : []
  const isMany = isFileSchema(follow(propertyOf(first, 'items')))
  const kind = choices.length > 0 ? 'choice' : isMany ? 'file' : branches.length === 1 ? kindOf(first) : 'json'
  const maximum = propertyOf(first, 'maxLength')
  const isSecret =
    kind === 'text' && (propertyOf(first, 'format') === 'password' || propertyOf(first, 'writeOnly') === true)
  return {
    name,
    kind,
    choices,
    isRequired,
    isNullable: all.length > branches.length || typesOf(first).includes('null') || values.flat().includes(null),
    isMany,
    isLong: kind === 'text' && !isSecret && typeof maximum === 'number' && maximum > 300,
    isSecret,
    description: textOf(propertyOf(schema, 'description'))
  }
}

function kindOf(schema: Json): Kind {
  if (isFileSchema(schema)) return 'file'
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.length !== 1) return 'json'
  const [type] = types
  return type === 'string'
    ? 'text'
    : type === 'number' || type === 'integer'
      ? 'number'
      : type === 'boolean'
        ? type
        : 'json'
}

/** The fields of an object, in the order of its schema. */
export function fieldsOf(objectSchema: unknown, follow: Follow): Field[] {
  const parts = [...partsOf(objectSchema, follow)]
  const required = parts.flatMap((part) => asList(propertyOf(part, 'required')))
  const properties = new Map(parts.flatMap((part) => entriesOf(propertyOf(part, 'properties'))))
  return [...properties].map(([name, schema]) => toField(name, schema, follow, required.includes(name)))
}

/** A schema and those that it is made of, each once: they may lead in a circle. */
function partsOf(whole: unknown, follow: Follow, parts = new Set<Json>()): Set<Json> {
  const schema = follow(whole)
  if (parts.has(schema)) return parts
  parts.add(schema)
  for (const part of asList(propertyOf(schema, 'allOf'))) partsOf(part, follow, parts)
  return parts
}
