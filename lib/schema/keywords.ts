import type { JsonSchema, SchemaMap, SchemaValue } from '../../types/standard-schema.js'

/**
 * What stands at a keyword. Schemas: one, a list of them, one for each name (`map`), either of the
 * first two, or one or a list of names for each name. Otherwise a value, which no schema is in.
 */
type Holds =
  | 'schema'
  | 'list'
  | 'map'
  | 'schema or list'
  | 'map or names'
  | 'number'
  | 'text'
  | 'types'
  | 'names'
  | 'values'
  | 'anything'

const keywordLists: Readonly<Record<Holds, string>> = {
  schema:
    'additionalProperties unevaluatedProperties propertyNames additionalItems unevaluatedItems contains not if then else',
  list: 'allOf anyOf oneOf prefixItems',
  map: 'properties patternProperties dependentSchemas definitions $defs',
  'schema or list': 'items',
  'map or names': 'dependencies',
  number:
    'minLength maxLength minimum maximum multipleOf minItems maxItems minContains maxContains minProperties maxProperties ' +
    'exclusiveMinimum exclusiveMaximum',
  text: '$ref format pattern title description contentEncoding contentMediaType',
  types: 'type',
  names: 'required',
  values: 'enum',
  anything:
    'const uniqueItems dependentRequired contentSchema default example examples deprecated readOnly writeOnly ' +
    'discriminator externalDocs'
}

/** The keywords of JSON Schema, each in one place: no other file lists them. */
const keywords = new Map(
  Object.entries(keywordLists).flatMap(([holds, list]) =>
    list.split(' ').map((keyword) => [keyword, holds as Holds] as const)
  )
)

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isSchemaValue = (value: unknown) => typeof value === 'boolean' || isSchema(value)
const isString = (value: unknown) => typeof value === 'string'
const isNameList = (value: unknown) => Array.isArray(value) && value.every(isString)
const isMapOrNames = (value: unknown) =>
  isSchema(value) && Object.values(value).every((part) => isSchemaValue(part) || isNameList(part))

/** What a keyword must hold, by its kind, with the words for an error. */
const demands: ReadonlyMap<Holds, [is: (value: unknown) => boolean, must: string]> = new Map([
  ['schema', [isSchemaValue, 'a schema']],
  ['list', [(value) => Array.isArray(value) && value.every(isSchemaValue), 'a list of schemas']],
  ['map', [(value) => isSchema(value) && Object.values(value).every(isSchemaValue), 'an object of schemas']],
  ['schema or list', [(value) => [value].flat().every(isSchemaValue), 'a schema, or a list of them']],
  ['map or names', [isMapOrNames, 'an object of schemas, and of lists of names']],
  ['number', [(value) => typeof value === 'number', 'a number']],
  ['text', [(value) => typeof value === 'string', 'a text']],
  ['types', [(value) => [value].flat().every(isString), 'a type, or a list of them']],
  ['names', [isNameList, 'a list of names']],
  ['values', [(value) => Array.isArray(value), 'a list of values']]
])

/** Describes the first keyword of a schema that holds something else than it must. */
export function misuseIn(schema: JsonSchema): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const [is, must] = demands.get(keywords.get(keyword) ?? 'anything') ?? []
    if (value !== undefined && is?.(value) === false) return `'${keyword}' must be ${must}`
  }
  return undefined
}

/** Keywords that a check does not see: they name a schema, or are written otherwise for it. */
const unchecked = new Set(['$schema', '$id', '$anchor', 'nullable'])

/**
 * Whether a schema has a keyword, at any depth, that is none of JSON Schema. Such a schema may be
 * one that Ajv can't compile.
 */
export const hasOtherKeywords = (schema: SchemaValue): boolean =>
  isSchema(schema) &&
  (Object.keys(schema).some(isOther) || [...subschemasOf(schema)].some(([part]) => hasOtherKeywords(part)))

const isOther = (keyword: string) => !keywords.has(keyword) && !unchecked.has(keyword)

/** A schema with those of its own keywords alone that are none of JSON Schema. */
export const otherKeywords = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => isOther(keyword)))

const ofItems = new Set(['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'])

/** The place of a schema that stands in another one, as in `deep.list[]`. */
export function innerPlace(place: string, keyword: string, key = ''): string {
  if (ofItems.has(keyword)) return `${place}[]`
  const isDefinitions = hasDefinitions(keyword)
  if (!isDefinitions && (isInPlace(keyword) || !isApplicator(keyword))) return place
  const name = isDefinitions ? `${keyword}.${key}` : /properties$/i.test(keyword) && key !== '' ? key : '*'
  return place === '' ? name : `${place}.${name}`
}

/** Whether documents may have a keyword: JSON Schema or OpenAPI has it. */
export const isKeyword = (keyword: string): boolean => keywords.has(keyword) || keyword.startsWith('x-')

const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependencies', 'dependentSchemas'])

/**
 * Whether the schemas that a keyword holds are about the value itself, and not about its fields or
 * items.
 */
export const isInPlace = (keyword: string): boolean => inPlace.has(keyword)

const conditional = new Set(['if', 'then', 'else', 'dependencies', 'dependentSchemas', 'not', 'contains'])

/** Whether the schemas of a keyword apply to some values only. */
export const isConditional = (keyword: string): boolean => conditional.has(keyword)

const schemaHolders = new Set<Holds>(['schema', 'list', 'map', 'schema or list', 'map or names'])
const applicators = new Set([...keywords].filter(([, holds]) => schemaHolders.has(holds)).map(([keyword]) => keyword))

/** Whether a keyword may hold schemas. */
export const isApplicator = (keyword: string): boolean => applicators.has(keyword)

/** Whether a keyword says by itself which values are valid, or holds schemas that do. */
export const isAssertion = (keyword: string): boolean =>
  isApplicator(keyword) || ['$ref', 'type', 'required', 'enum', 'const'].includes(keyword)

/** Whether the value of an applicator is one schema, not a list or an object of schemas. */
const isOneSchema = (keyword: string, value: unknown): value is SchemaValue =>
  typeof value !== 'object' ||
  value === null ||
  keywords.get(keyword) === 'schema' ||
  (keywords.get(keyword) === 'schema or list' && !Array.isArray(value))

/**
 * Yields the schemas that are directly in a schema, each with its keyword and the way to it, as in
 * `['properties', 'title']`.
 */
export function* subschemasOf(schema: JsonSchema): Generator<[part: SchemaValue, way: readonly string[]]> {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (!applicators.has(keyword) || value === undefined) continue
    if (isOneSchema(keyword, value)) yield [value, [keyword]]
    else
      for (const [key, part] of Object.entries(value as SchemaMap))
        if (!Array.isArray(part)) yield [part, [keyword, key]]
  }
}

type ChangeSchema = (part: SchemaValue, keyword: string, key?: string) => SchemaValue | undefined

/**
 * Returns a copy of a schema in which `change` has replaced each schema that is directly in it.
 * Lists and objects lose the parts for which it returns `undefined`.
 */
export function mapSubschemas(schema: JsonSchema, change: ChangeSchema): JsonSchema {
  const copy: Record<string, unknown> = { ...schema }
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (!applicators.has(keyword) || value === undefined) continue
    copy[keyword] = isOneSchema(keyword, value) ? change(value, keyword) : mapParts(value as object, keyword, change)
  }
  return copy
}

function mapParts(parts: object, keyword: string, change: ChangeSchema): object {
  const entries: [string, unknown][] = []
  for (const [key, part] of Object.entries(parts)) {
    // `dependencies` may have lists of names.
    const changed = Array.isArray(part) ? part : change(part, keyword, key)
    if (changed !== undefined) entries.push([key, changed])
  }
  return Array.isArray(parts) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
}

/** The keywords under which a schema keeps definitions. */
export const definitionKeywords = ['definitions', '$defs'] as const

/** Whether a keyword holds definitions, which describe no value where they are written. */
export const hasDefinitions = (keyword: string | undefined): boolean =>
  definitionKeywords.some((name) => name === keyword)

/** The keywords of unions. */
export const unionKeywords = ['anyOf', 'oneOf'] as const
export type UnionKeyword = (typeof unionKeywords)[number]

/**
 * The keywords by which a schema, or another one at its place, speaks of the fields of an object.
 */
export const fieldKeywords = [
  '$ref',
  'allOf',
  'if',
  'dependencies',
  'properties',
  'patternProperties',
  ...unionKeywords
]

/** The keywords of an object that say nothing of several of its fields together. */
export const separateKeywords = new Set(
  'type properties required additionalProperties $defs definitions title description $id $schema'.split(' ')
)

/** The keywords that say who sets a field, and whether it leaves. */
export const flagKeywords = ['readOnly', 'writeOnly'] as const

/** The branches of the unions that a schema has. */
export const unionBranches = ({ anyOf = [], oneOf = [] }: JsonSchema): readonly SchemaValue[] => [...anyOf, ...oneOf]

/**
 * Makes a function that is computed once for each schema: a definition may be referred to many
 * times from one place.
 */
export function oncePerSchema<T>(compute: (schema: SchemaValue) => T): (schema: SchemaValue) => T {
  const results = new Map<SchemaValue, T>()
  return (schema) => {
    if (!results.has(schema)) results.set(schema, compute(schema))
    return results.get(schema) as T
  }
}
