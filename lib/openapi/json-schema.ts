import { isObject } from '../core/plain.js'
import { standardOf } from '../core/resource/json-schema.js'

/** A part of a document. */
export type Json = { [key: string]: unknown }

export const isEmpty = (schema: Json) => Object.keys(schema).length === 0

/** The JSON Schema of a schema: itself, or what a library gives by "Standard JSON Schema" (zod, ArkType, Valibot by its converter). */
export function toJsonSchema(schema: unknown, side: 'input' | 'output'): Json {
  const json = standardOf(schema)?.jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? schema
  return isObject(json) ? json : {}
}

const ofSchemas = ['properties', 'patternProperties', 'dependentSchemas']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
// biome-ignore format: a list
const single = [
  'items', 'additionalProperties', 'additionalItems', 'not', 'if', 'then', 'else', 'contains', 'propertyNames',
  'unevaluatedItems', 'unevaluatedProperties'
]
// biome-ignore format: a list
const plain = [
  '$ref', 'type', 'enum', 'const', 'format', 'title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly',
  'writeOnly', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
  'minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties', 'required',
  'dependentRequired', 'contentEncoding', 'contentMediaType', 'contentSchema', 'discriminator', 'externalDocs'
]

const shapes = ['additionalProperties', '$ref', ...ofSchemas, ...lists]

/**
 * A copy of a JSON Schema as OpenAPI 3.1 has it: of draft 7 and of Ajv it keeps what that knows. Each schema within is handed to `visit`,
 * which may replace it.
 */
export function copySchema(schema: unknown, visit: (schema: Json) => Json | undefined): unknown {
  if (!isObject(schema)) return schema
  const replaced = visit(schema)
  if (replaced !== undefined) return replaced
  const copy: Json = {}
  const one = (value: unknown) => copySchema(value, visit)
  for (const [key, value] of Object.entries(schema)) {
    if (ofSchemas.includes(key) && isObject(value))
      copy[key] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]))
    else if (lists.includes(key) && Array.isArray(value)) copy[key] = value.map(one)
    else if (key === 'items' && Array.isArray(value)) copy.prefixItems = value.map(one)
    else if (single.includes(key)) copy[key] = one(value)
    else if (plain.includes(key) || key.startsWith('x-')) copy[key] = structuredClone(value)
  }
  return modernize(copy, schema)
}

function modernize(copy: Json, { nullable, isFile, items }: Json): Json {
  if (Array.isArray(items) && 'additionalItems' in copy) copy.items = copy.additionalItems
  delete copy.additionalItems
  if (nullable === true && copy.type !== undefined) copy.type = [...new Set([copy.type, 'null'].flat())]
  if (isFile === true) return { type: 'string', format: 'binary' }
  // Any object: some generators take it for one without fields.
  if (copy.type === 'object' && !Object.keys(copy).some((key) => shapes.includes(key))) copy.additionalProperties = true
  // Generators of clients read the one, and OpenAPI 3.1 the other.
  const isBinary = copy.contentMediaType !== undefined && copy.contentEncoding === undefined
  return isBinary ? { type: 'string', format: 'binary', ...copy } : copy
}

/** Whether a schema of a record has a field that `@fastify/multipart` attaches as a file. The others are those of `filesOf`. */
export const hasAttachment = ({ properties }: Json): boolean =>
  Object.values(Object(properties)).some(
    (field) => Object(field).isFile === true || Object(Object(field).items).isFile === true
  )

/** A schema of a body: what has a default may be left out. */
export function withDefaults(schema: Json): Json {
  const { required, properties } = schema
  if (!Array.isArray(required)) return schema
  const left = required.filter((name) => Object(Object(properties)[name]).default === undefined)
  return left.length === required.length ? schema : { ...schema, required: left }
}

/** A schema of records or of queries without some of their fields, at any depth. */
export function withoutFields(schema: Json, fields: readonly string[]): Json {
  if (fields.length === 0) return schema
  const isKept = (name: unknown) => !fields.some((field) => field === name)
  const one = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(one) : isObject(value) ? withoutFields(value, fields) : value
  const change = (key: string, value: unknown): unknown => {
    if ([...ofSchemas, 'definitions', '$defs'].includes(key) && isObject(value)) {
      const inner = Object.entries(value).filter(([name]) => key !== 'properties' || isKept(name))
      return Object.fromEntries(
        inner.map(([name, own]) => [name, name === '$select' ? withoutNames(own, isKept) : one(own)])
      )
    }
    if (key === 'required' && Array.isArray(value)) return value.filter(isKept)
    return lists.includes(key) || single.includes(key) ? one(value) : value
  }
  const changed = Object.entries(schema).map(([key, value]) => [key, change(key, value)] as const)
  return Object.fromEntries(changed.filter(([key, value]) => key !== 'required' || String(value) !== ''))
}

/** The schema of a list of names, without some. */
function withoutNames(schema: unknown, isKept: (name: unknown) => boolean): unknown {
  const { items } = Object(schema)
  if (!Array.isArray(items?.enum)) return schema
  return { ...Object(schema), items: { ...items, enum: items.enum.filter(isKept) } }
}
