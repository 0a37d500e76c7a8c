import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isObject } from '../core/objects.js'
import { withIdOfZod } from '../core/resource/json-schema.js'
import { standardOf } from '../core/resource/validate.js'
import { definitionKeywords, isApplicator, isKeyword, isSchema, mapSubschemas } from '../schema/keywords.js'

/** A part of a document. */
export type Json = { [key: string]: unknown }

export const isEmpty = (schema: Json) => Object.keys(schema).length === 0

/** The JSON Schema of a schema: itself, or what a library gives by "Standard JSON Schema" (zod, ArkType, Valibot by its converter). */
export function toJsonSchema(schema: unknown, side: 'input' | 'output'): Json {
  const { jsonSchema, vendor } = standardOf(schema) ?? {}
  const json = jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? schema
  if (!isObject(json)) return {}
  return vendor === 'zod' ? (withIdOfZod(json) as Json) : json
}

/** The definition of a schema that a reference leads to, with the name of it. */
export function definitionAt({ definitions, $defs }: Json, $ref: unknown) {
  const [, keyword, key = '', rest = ''] = /^#\/(definitions|\$defs)\/([^/]+)(.*)$/.exec(String($ref)) ?? []
  const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  const schema = Object(keyword === '$defs' ? $defs : definitions)[name] as unknown
  return isObject(schema) ? { schema: schema as Json, name, rest } : undefined
}

/**
 * A copy of a JSON Schema as OpenAPI 3.1 has it: of draft 7 and of Ajv it keeps what that knows. Each schema within is handed to `visit`,
 * which may replace it.
 */
export function copySchema(schema: unknown, visit: (schema: Json) => Json | undefined): unknown {
  if (!isSchema(schema)) return schema
  const replaced = visit(schema)
  if (replaced !== undefined) return replaced
  const { definitions, $defs, $id, ...rest } = schema
  const words = Object.entries(rest).filter(([keyword]) => isKeyword(keyword))
  const copy = mapSubschemas(Object.fromEntries(words), (part, _keyword, key) =>
    key === undefined
      ? (copySchema(part, visit) as SchemaValue)
      : (copySchema(toSchemaObject(part), visit) as JsonSchema)
  )
  return modernize(copy, schema)
}

/** Generators of clients fail on `true` and `false` where a list or a map has schemas. */
const toSchemaObject = (part: SchemaValue): JsonSchema => (isSchema(part) ? part : part ? {} : { not: {} })

function modernize({ additionalItems, dependencies, ...copy }: Json, { nullable, isFile, items }: Json): Json {
  if (Array.isArray(items)) {
    copy.prefixItems = copy.items
    delete copy.items
    if (additionalItems !== undefined) copy.items = additionalItems
  }
  if (dependencies !== undefined) Object.assign(copy, toDependents(dependencies as Json, copy))
  if (nullable === true && copy.type !== undefined) copy.type = [...new Set([copy.type, 'null'].flat())]
  if (isFile === true) return { type: 'string', format: 'binary' }
  // Any object: some generators take it for one without fields.
  if (copy.type === 'object' && !saysMore(copy)) copy.additionalProperties = true
  // Generators of clients read the one, and OpenAPI 3.1 the other.
  const isBinary = copy.contentMediaType !== undefined && copy.contentEncoding === undefined
  return isBinary ? { type: 'string', format: 'binary', ...copy } : copy
}

/** What draft 7 has in one keyword: names that a field asks for, and schemas. */
function toDependents(dependencies: Json, { dependentRequired, dependentSchemas }: Json): Json {
  const isNames = (value: unknown) => Array.isArray(value) || Object.keys(Object(value)).join() === 'required'
  const entries = Object.entries(dependencies)
  const names = entries.flatMap(([name, value]) => (isNames(value) ? [[name, Object(value).required ?? value]] : []))
  const schemas = entries.filter(([, value]) => !isNames(value))
  return {
    ...(names.length > 0 && { dependentRequired: { ...Object(dependentRequired), ...Object.fromEntries(names) } }),
    ...(schemas.length > 0 && { dependentSchemas: { ...Object(dependentSchemas), ...Object.fromEntries(schemas) } })
  }
}

/** Whether a schema says something of the fields of an object, itself or by others. */
const saysMore = (schema: Json) =>
  '$ref' in schema || Object.keys(schema).some((keyword) => isApplicator(keyword) && keyword !== 'propertyNames')

/** Whether a schema of a record has a field that `@fastify/multipart` attaches as a file. The others are those of `filesOf`. */
export const hasAttachment = ({ properties }: Json): boolean =>
  Object.values(Object(properties)).some(
    (field) => Object(field).isFile === true || Object(Object(field).items).isFile === true
  )

/** A schema of a body: what has a default may be left out, at any depth. Definitions without one stay as they are, since answers may share them. */
export function withDefaults(schema: Json): Json {
  const ofSchema = (part: SchemaValue): SchemaValue => {
    if (!isSchema(part)) return part
    const copy = mapSubschemas(part, (inner, keyword) => (keyword === 'not' ? inner : ofSchema(inner)))
    const { required, properties } = copy
    if (!Array.isArray(required)) return copy
    const left = required.filter((name) => Object(Object(properties)[name]).default === undefined)
    return left.length === required.length ? copy : { ...copy, required: left }
  }
  const copy = ofSchema(schema) as Json
  const definitionsIn = (whole: Json) =>
    Object.fromEntries(definitionKeywords.flatMap((keyword) => (keyword in whole ? [[keyword, whole[keyword]]] : [])))
  const isSame = JSON.stringify(definitionsIn(copy)) === JSON.stringify(definitionsIn(schema))
  return isSame ? { ...copy, ...definitionsIn(schema) } : copy
}

/** A schema of records or of queries without some of their fields, at any depth. */
export function withoutFields(schema: Json, fields: readonly string[]): Json {
  if (fields.length === 0) return schema
  const isKept = (name: string) => !fields.includes(name)
  const ofSchema = (part: SchemaValue): SchemaValue => {
    if (!isSchema(part)) return part
    const { required, ...rest } = mapSubschemas(part, (inner, keyword, name = '') => {
      if (keyword !== 'properties') return ofSchema(inner)
      if (!isKept(name)) return undefined
      return name === '$select' ? withoutNames(inner, isKept) : ofSchema(inner)
    })
    const names = Array.isArray(required) ? required.filter(isKept) : []
    return names.length === 0 ? rest : { ...rest, required: names }
  }
  return ofSchema(schema) as Json
}

/** The schema of a list of names, without some. */
function withoutNames(schema: SchemaValue, isKept: (name: string) => boolean): SchemaValue {
  const { items } = Object(schema)
  if (!isSchema(schema) || !Array.isArray(items?.enum)) return schema
  return { ...schema, items: { ...items, enum: items.enum.filter(isKept) } }
}
