import type { JsonSchema } from '../../../types/resource.js'
import { join } from './normal-form.js'
import { mapParts } from './parts.js'

// What a serializer needs to know. The rest says what is accepted, and it would refuse a result, or write into it, because of it.
const shape = [
  'type',
  'format',
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  '$ref',
  '$defs',
  'nullable'
]
const shaping = ['properties', 'patternProperties', 'additionalProperties', 'anyOf', 'oneOf', '$ref']
const choosing = [...shape, 'enum', 'required']
const branches = ['anyOf', 'oneOf', '$defs']

/**
 * The schema that a result is serialized by: it keeps what leaves, and demands nothing. A record may be a part of one (`$select`), and any field may be
 * `null`, as in a database. In a union the branches still say which of them a value is.
 */
export function toResponseSchema(
  given: JsonSchema,
  isBranch = false,
  defs = given.$defs as Record<string, JsonSchema> | undefined
): JsonSchema {
  if (typeof given !== 'object' || given === null) return given
  // The serializer knows no intersections.
  const schema = given.allOf === undefined ? given : join(given, defs ?? {})
  const names = isBranch ? choosing : shape
  const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)))
  const node = mapParts(kept, (part, keyword) => toResponseSchema(part, isBranch || branches.includes(keyword), defs))
  // Any object: it leaves whole.
  if (node.type === 'object' && !shaping.some((key) => node[key] !== undefined)) node.additionalProperties = true
  // A branch that is closed would refuse a value with a field too many; without this, the field does not leave.
  if (node.additionalProperties === false) delete node.additionalProperties
  return withNull(node)
}

function withNull(node: JsonSchema): JsonSchema {
  const { type, enum: values } = node
  if (type === undefined || values !== undefined) return node
  const others = [type].flat().filter((one) => one !== 'null')
  return others.length === 1 ? { ...node, type: others[0], nullable: true } : node
}

/**
 * Refuses an intersection that is within itself: each is made one object, without an end then.
 * @throws {TypeError} that says what to do
 */
export function refuseEndless(
  schema: JsonSchema,
  defs: Record<string, JsonSchema>,
  around = new Set<string>(),
  done = new Set<string>()
): void {
  const isIntersection = Object(schema).allOf !== undefined
  const text = isIntersection ? JSON.stringify(schema) : ''
  if (done.has(text)) return
  if (around.has(text))
    throw new TypeError(
      "resource() can't send an intersection that contains itself: write its parts as one object, by `extend` in Zod for example"
    )
  if (isIntersection) around.add(text)
  mapParts(isIntersection ? join(schema, defs) : schema, (part) => {
    refuseEndless(part, defs, around, done)
    return part
  })
  if (isIntersection) {
    around.delete(text)
    done.add(text)
  }
}
