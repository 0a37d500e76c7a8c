import type { JsonSchema, SchemaMap, SchemaValue } from '../../types/standard-schema.js'
import { likelyName } from './likely-name.js'

/** The type of a keyword's value. A `map` has a schema for each name. */
type KeywordType =
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

const keywordLists: Readonly<Record<KeywordType, string>> = {
  schema:
    'additionalProperties unevaluatedProperties propertyNames additionalItems unevaluatedItems contains not if then else',
  list: 'allOf anyOf oneOf prefixItems',
  map: 'properties patternProperties dependentSchemas definitions $defs',
  'schema or list': 'items',
  'map or names': 'dependencies',
  number:
    'minLength maxLength minimum maximum multipleOf minItems maxItems minContains maxContains minProperties maxProperties ' +
    'exclusiveMinimum exclusiveMaximum',
  text:
    '$ref format pattern title description contentEncoding contentMediaType ' +
    'formatMinimum formatMaximum formatExclusiveMinimum formatExclusiveMaximum',
  types: 'type',
  names: 'required',
  values: 'enum',
  anything:
    'const uniqueItems dependentRequired contentSchema default example examples deprecated readOnly writeOnly ' +
    'discriminator externalDocs'
}

/** The keywords of JSON Schema. No other file lists them. */
const keywords = new Map(
  Object.entries(keywordLists).flatMap(([holds, list]) =>
    list.split(' ').map((keyword) => [keyword, holds as KeywordType] as const)
  )
)

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isSchemaValue = (value: unknown) => typeof value === 'boolean' || isSchema(value)
const isString = (value: unknown) => typeof value === 'string'
const isNameList = (value: unknown) => Array.isArray(value) && value.every(isString)
const isMapOrNames = (value: unknown) =>
  isSchema(value) && Object.values(value).every((part) => isSchemaValue(part) || isNameList(part))

/** The checks of keywords by their type, with the words for an error. */
const keywordChecks: ReadonlyMap<KeywordType, [is: (value: unknown) => boolean, must: string]> = new Map([
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

/** Describes the first keyword of a schema that has a value of the wrong type. */
export function misuseIn(schema: JsonSchema): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const [is, must] = keywordChecks.get(keywords.get(keyword) ?? 'anything') ?? []
    if (value !== undefined && is?.(value) === false) return `'${keyword}' must be ${must}`
  }
  return undefined
}

/**
 * Returns the first keyword of a schema that looks misspelt: a library may have others, but hardly
 * one that differs in a letter, or in capitals.
 */
export function misspeltIn(schema: JsonSchema): { readonly name: string; readonly meant: string } | undefined {
  for (const name of Object.keys(schema)) {
    if (name.length < 5 || schema[name] === undefined || !isOther(name)) continue
    const meant = likelyName(name, [...keywords.keys()], 1)
    if (meant !== undefined) return { name, meant }
  }
  return undefined
}

/** Keywords that a bundle removes or rewrites, so that Ajv never gets them. */
const unchecked = new Set(['$schema', '$id', '$anchor', 'nullable'])

const isOther = (keyword: string) => !keywords.has(keyword) && !unchecked.has(keyword)

const itemKeywords = new Set(['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'])

/** Returns the place of a schema within another one, as in `deep.list[]`. */
export function innerPlace(place: string, keyword: string, key = ''): string {
  if (itemKeywords.has(keyword)) return `${place}[]`
  const isDefinitions = hasDefinitions(keyword)
  if (!isDefinitions && (isInPlace(keyword) || !isApplicator(keyword))) return place
  const name = isDefinitions ? `${keyword}.${key}` : /properties$/i.test(keyword) && key !== '' ? key : '*'
  return place === '' ? name : `${place}.${name}`
}

/** Returns whether documents may have a keyword: JSON Schema or OpenAPI has it. */
export const isKeyword = (keyword: string): boolean => keywords.has(keyword) || keyword.startsWith('x-')

const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependencies', 'dependentSchemas'])

/** Returns whether the schemas of a keyword apply to the value itself, not to fields or items. */
export const isInPlace = (keyword: string): boolean => inPlace.has(keyword)

const conditional = new Set(['if', 'then', 'else', 'dependencies', 'dependentSchemas', 'not', 'contains'])

/** Returns whether the schemas of a keyword apply to some values only. */
export const isConditional = (keyword: string): boolean => conditional.has(keyword)

const schemaHolders = new Set<KeywordType>(['schema', 'list', 'map', 'schema or list', 'map or names'])
const applicators = new Set([...keywords].filter(([, holds]) => schemaHolders.has(holds)).map(([keyword]) => keyword))

/** Returns whether a keyword may have schemas. */
export const isApplicator = (keyword: string): boolean => applicators.has(keyword)

/** Returns whether a keyword restricts values, or may have schemas that do. */
export const isAssertion = (keyword: string): boolean =>
  isApplicator(keyword) || ['$ref', 'type', 'required', 'enum', 'const'].includes(keyword)

/** Returns whether the value of an applicator is one schema, not a list or a map. */
const isOneSchema = (keyword: string, value: unknown): value is SchemaValue =>
  typeof value !== 'object' ||
  value === null ||
  keywords.get(keyword) === 'schema' ||
  (keywords.get(keyword) === 'schema or list' && !Array.isArray(value))

/** Yields the direct subschemas of a schema with their keys, as in `['properties', 'title']`. */
export function* subschemasOf(schema: JsonSchema): Generator<[subschema: SchemaValue, keys: readonly string[]]> {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (!applicators.has(keyword) || value === undefined) continue
    if (isOneSchema(keyword, value)) yield [value, [keyword]]
    else
      for (const [key, part] of Object.entries(value as SchemaMap))
        if (!Array.isArray(part)) yield [part, [keyword, key]]
  }
}

type ChangeSchema = (subschema: SchemaValue, keyword: string, key?: string) => SchemaValue | undefined

/**
 * Copies a schema, and replaces each direct subschema by the result of `change`. If that is
 * `undefined`, lists and maps lose it.
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

/** The keywords of definitions. */
export const definitionKeywords = ['definitions', '$defs'] as const

/** Returns whether a keyword has definitions, which describe no value by themselves. */
export const hasDefinitions = (keyword: string | undefined): boolean =>
  definitionKeywords.some((name) => name === keyword)

/** The keywords of unions. */
export const unionKeywords = ['anyOf', 'oneOf'] as const
export type UnionKeyword = (typeof unionKeywords)[number]

/** The keywords by which a schema, or one that applies to the same value, describes fields. */
export const fieldKeywords = [
  '$ref',
  'allOf',
  'if',
  'dependencies',
  'properties',
  'patternProperties',
  ...unionKeywords
]

/** The keywords of an object that are not about several fields together. */
export const separateKeywords = new Set(
  'type properties required additionalProperties $defs definitions title description $id $schema'.split(' ')
)

/** The keywords for server-set and hidden fields. */
export const flagKeywords = ['readOnly', 'writeOnly'] as const

/** Returns the branches of all unions of a schema. */
export const unionBranches = ({ anyOf = [], oneOf = [] }: JsonSchema): readonly SchemaValue[] => [...anyOf, ...oneOf]

/** Memoizes a function of a schema, since many references may lead to one definition. */
export function oncePerSchema<T>(compute: (schema: SchemaValue) => T): (schema: SchemaValue) => T {
  const results = new Map<SchemaValue, T>()
  return (schema) => {
    if (!results.has(schema)) results.set(schema, compute(schema))
    return results.get(schema) as T
  }
}
