import type { JsonSchema, StandardSchema } from '../../../types/resource.js'
import { isObject } from '../plain.js'

/** Which side of a schema that transforms is meant: what is sent, or what becomes of it. */
export type Side = 'input' | 'output'

const hint =
  'Give it a JSON Schema (TypeBox), or a Standard Schema that gives JSON Schema: zod 4.2 and later, ArkType, Valibot through ' +
  '`toStandardJsonSchema(schema)` of @valibot/to-json-schema'

/** Returns the Standard Schema that a value is, if it is one. ArkType's are functions. */
export function standardOf(schema: unknown): StandardSchema['~standard'] | undefined {
  const isHolder = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  return isHolder ? (schema as Partial<StandardSchema>)['~standard'] : undefined
}

/**
 * Returns a schema as JSON Schema, without what its library has added to it. What a transformation gives has often no JSON Schema: then it
 * is that of what is sent.
 *
 * @throws {TypeError} when there is none
 */
export function toJsonSchema(schema: unknown, side: Side): JsonSchema {
  const standard = standardOf(schema)
  if (standard === undefined && isObject(schema)) return copy(schema)
  if (standard?.jsonSchema === undefined) throw new TypeError(`resource() can't use this schema. ${hint}`)
  const { jsonSchema } = standard
  try {
    return copy(jsonSchema[side]({ target: 'draft-07' }))
  } catch (error) {
    if (side === 'output') return toJsonSchema(schema, 'input')
    const { message } = error as Error
    const ignore =
      standard.vendor === 'valibot' ? ", or ignore it: `toStandardJsonSchema(schema, { errorMode: 'ignore' })`" : ''
    throw new TypeError(
      `resource() got no JSON Schema from ${standard.vendor}: ${message} Describe the field by what is sent as JSON${ignore}`,
      { cause: error }
    )
  }
}

// TypeBox takes a pattern as a regular expression, too.
const copy = (schema: object): JsonSchema =>
  JSON.parse(JSON.stringify(schema, (_key, value) => (value instanceof RegExp ? value.source : value)))
