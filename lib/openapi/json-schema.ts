import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isObject, pick } from '../core/objects.js'
import { standardOf } from '../core/resource/standard-schema.js'
import { withIdOfZod } from '../core/resource/zod.js'
import { definitionKeywords, isApplicator, isKeyword, isSchema, mapSubschemas } from '../schema/keywords.js'
import { parseDefinitionReference } from '../schema/pointer.js'

/** A part of a document. */
export type Json = { [key: string]: unknown }

export const isEmpty = (schema: Json) => Object.keys(schema).length === 0

/** Returns the JSON Schema of a schema, or of a library with "Standard JSON Schema". */
export function toJsonSchema(schema: unknown, side: 'input' | 'output'): Json {
  const { jsonSchema, vendor } = standardOf(schema) ?? {}
  const json = jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? schema
  if (!isObject(json)) return {}
  return vendor === 'zod' ? (withIdOfZod(json) as Json) : json
}

/** Returns the definition that a reference leads to, its name, and the rest of the reference. */
export function definitionAt({ definitions, $defs }: Json, $ref: unknown) {
  const reference = parseDefinitionReference($ref)
  if (reference === undefined) return undefined
  const { keyword, name, rest } = reference
  const schema: unknown = Object(keyword === '$defs' ? $defs : definitions)[name]
  return isObject(schema) ? { schema, name, rest } : undefined
}

/** Returns the definition that a root refers to, as in zod with an `id`, or else the root. */
export function resolveRoot(schema: Json): Json {
  const definition = definitionAt(schema, schema.$ref)
  return definition?.rest === '' ? definition.schema : schema
}

/**
 * Copies a JSON Schema in the words of OpenAPI 3.1, without its definitions and unknown keywords.
 * @param replace may return another schema for each schema within
 */
export function toOpenAPI(schema: unknown, replace: (schema: Json) => Json | undefined): unknown {
  if (!isSchema(schema)) return schema
  const replaced = replace(schema)
  if (replaced !== undefined) return replaced
  const { definitions, $defs, $id, ...rest } = schema
  const known = Object.entries(rest).filter(([keyword]) => isKeyword(keyword))
  const copy = mapSubschemas(Object.fromEntries(known), (subschema, _keyword, key) => {
    // Generators of clients fail on booleans in lists and maps of schemas.
    const asObject = key === undefined || isSchema(subschema) ? subschema : subschema ? {} : { not: {} }
    return toOpenAPI(asObject, replace) as JsonSchema
  })
  return modernize(copy, schema)
}

/** Rewrites keywords of draft 7, of OpenAPI 3.0 and of Ajv. */
function modernize({ additionalItems, dependencies, ...copy }: Json, { nullable, isFile, items }: Json): Json {
  if (isFile === true) return { type: 'string', format: 'binary' }
  if (Array.isArray(items)) {
    copy.prefixItems = copy.items
    delete copy.items
    if (additionalItems !== undefined) copy.items = additionalItems
  }
  for (const [name, value] of Object.entries(Object(dependencies) as Json)) {
    const names = Object.keys(Object(value)).join() === 'required' ? Object(value).required : value
    const keyword = Array.isArray(names) ? 'dependentRequired' : 'dependentSchemas'
    copy[keyword] = { ...Object(copy[keyword]), [name]: names }
  }
  if (nullable === true && copy.type !== undefined) copy.type = [...new Set([copy.type, 'null'].flat())]
  // Some generators read `type: 'object'` alone as an object without fields.
  if (copy.type === 'object' && !describesFields(copy)) copy.additionalProperties = true
  // Generators read `format`, and OpenAPI 3.1 has `contentMediaType`.
  const isBinary = copy.contentMediaType !== undefined && copy.contentEncoding === undefined
  return isBinary ? { type: 'string', format: 'binary', ...copy } : copy
}

const describesFields = (schema: Json) =>
  '$ref' in schema || Object.keys(schema).some((keyword) => isApplicator(keyword) && keyword !== 'propertyNames')

/** Makes fields with a default optional, at any depth, since a body may leave them out. */
export function withDefaults(schema: Json): Json {
  // Most bodies have no defaults, and this is faster than a walk.
  if (!JSON.stringify(schema).includes('"default":')) return schema
  const relax = (subschema: SchemaValue): SchemaValue => {
    if (!isSchema(subschema)) return subschema
    const copy: Json = mapSubschemas(subschema, (inner, keyword) => (keyword === 'not' ? inner : relax(inner)))
    const { required, properties } = copy
    if (Array.isArray(required))
      copy.required = required.filter((name) => Object(Object(properties)[name]).default === undefined)
    return copy
  }
  const relaxed = relax(schema) as Json
  // Unchanged definitions stay the same objects, since answers may share their components.
  const isSame = definitionKeywords.every((key) => JSON.stringify(relaxed[key]) === JSON.stringify(schema[key]))
  return isSame ? { ...relaxed, ...pick(definitionKeywords, (keyword) => schema[keyword]) } : relaxed
}

/** Removes fields from the schema of records or of queries, at any depth. */
export function withoutFields(schema: Json, fields: readonly string[]): Json {
  if (fields.length === 0) return schema
  const isShown = (name: string) => !fields.includes(name)
  const remove = (subschema: SchemaValue): SchemaValue => {
    if (!isSchema(subschema)) return subschema
    const { required, ...copy } = mapSubschemas(subschema, (inner, keyword, name = '') => {
      if (keyword !== 'properties') return remove(inner)
      if (!isShown(name)) return undefined
      const names = Object(inner).items?.enum
      return name === '$select' && Array.isArray(names)
        ? { ...Object(inner), items: { ...Object(inner).items, enum: names.filter(isShown) } }
        : remove(inner)
    })
    const names = Array.isArray(required) ? required.filter(isShown) : []
    return names.length === 0 ? copy : { ...copy, required: names }
  }
  return remove(schema) as Json
}
