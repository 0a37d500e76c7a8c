import type { JsonSchema } from '../../../types/resource.js'

const lists = ['items', 'anyOf', 'oneOf', 'allOf', 'not', 'contains', 'additionalProperties'] as const
const named = ['properties', 'patternProperties', '$defs'] as const

/** A copy of a schema with a change of each schema that stands directly in it. `change` gets the keyword, too. */
export function mapParts(schema: JsonSchema, change: (part: JsonSchema, keyword: string) => unknown): JsonSchema {
  const node = { ...schema }
  for (const key of lists) {
    const part = node[key]
    if (typeof part !== 'object') continue
    node[key] = Array.isArray(part) ? part.map((one) => change(one, key)) : change(part as JsonSchema, key)
  }
  for (const key of named)
    if (node[key] !== undefined)
      node[key] = Object.fromEntries(Object.entries(node[key] as object).map(([name, one]) => [name, change(one, key)]))
  return node
}
