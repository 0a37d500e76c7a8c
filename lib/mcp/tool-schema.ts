import { isObject } from '../core/objects.js'
import type { Json } from '../openapi/json-schema.js'
import { isSchema } from '../schema/keywords.js'

const componentPrefix = '#/components/schemas/'

/** The part of the components of a document that schemas refer to. */
interface ComponentSchemas {
  readonly schemas: Readonly<Record<string, unknown>>
}

/**
 * Returns a schema that stands alone: the components that it refers to become its definitions.
 *
 * @param transform changes each component
 */
export function withDefinitions(
  schema: Json,
  { schemas }: ComponentSchemas,
  transform = (part: Json): Json => part
): Json {
  const definitions: Json = {}
  const move = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(move)
    if (!isObject(part)) return part
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => [
        key,
        key === '$ref' && typeof value === 'string' ? refer(value) : move(value)
      ])
    )
  }
  const refer = (reference: string) => {
    if (!reference.startsWith(componentPrefix)) return reference
    const pointer = reference.slice(componentPrefix.length)
    const [name = ''] = pointer.split('/')
    if (!Object.hasOwn(definitions, name)) {
      // Set before it is moved, since a schema may refer to itself.
      definitions[name] = {}
      definitions[name] = move(transform(Object(schemas[name])))
    }
    return `#/$defs/${pointer}`
  }
  // A tool needs an object at the root, not a reference to one.
  const { $ref } = schema
  const root =
    typeof $ref === 'string' && $ref.startsWith(componentPrefix)
      ? transform(Object(schemas[$ref.slice(componentPrefix.length)]))
      : schema
  const moved = move(root) as Json
  return Object.keys(definitions).length === 0 ? moved : { ...moved, $defs: definitions }
}

/** The types of values that a database may hold in a field of a type, since nothing validates stored records. */
const storedTypes: Readonly<Record<string, readonly string[]>> = {
  integer: ['number', 'string'],
  number: ['number', 'string'],
  string: ['string', 'number'],
  boolean: ['boolean', 'number']
}

/**
 * Returns the shape of a schema without its rules. Clients refuse results that don't fit the schema
 * of a tool, but a service returns records as they are stored.
 */
export function loosen(schema: Json): Json {
  return loosenPart(schema, true)
}

function loosenPart(schema: unknown, isRoot = false): Json {
  if (!isSchema(schema)) return {}
  const { type, properties, items, anyOf = [], oneOf = [], allOf, $ref, description } = schema as Json
  const types = [type ?? []].flat().flatMap((one) => storedTypes[String(one)] ?? [String(one)])
  const isOnlyObject = isRoot && types.join() === 'object'
  const branches = [anyOf, oneOf].flat().map((branch) => loosenPart(branch))
  return {
    ...(types.length > 0 && { type: isOnlyObject ? 'object' : [...new Set([...types, 'null'])] }),
    ...(description !== undefined && { description }),
    ...($ref !== undefined && { $ref }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, loosenPart(part)]))
    }),
    ...(isObject(items) && { items: loosenPart(items) }),
    ...(branches.length > 0 && { anyOf: branches }),
    ...(Array.isArray(allOf) && { allOf: allOf.map((part) => loosenPart(part)) })
  }
}
