import type { JsonSchema } from '../../../types/resource.js'
import { mapParts } from './parts.js'
import { resolve } from './text.js'

type Definitions = Readonly<Record<string, JsonSchema>>

/** What a schema says of a field: only the server sets it, or it does not leave. */
export type Flag = 'readOnly' | 'writeOnly'

/** Whether a schema has a flag, by itself, where it leads to, or in a branch. */
export function isFlagged(schema: JsonSchema, flag: Flag, defs: Definitions = {}): boolean {
  const found = resolve(schema, defs)
  const branches = [found.anyOf, found.oneOf, found.allOf].flatMap((list) => (list ?? []) as JsonSchema[])
  return found[flag] === true || branches.some((branch) => isFlagged(branch, flag, defs))
}

/** A schema without the fields that have a flag, at any depth. No other keyword lets them in again. */
export function withoutFlagged(schema: JsonSchema, flag: Flag, defs: Definitions = {}): JsonSchema {
  if (typeof schema !== 'object') return schema
  // What must not fit stays as it is.
  const node = mapParts(schema, (part, keyword) =>
    keyword === 'not' || keyword === 'contains' ? part : withoutFlagged(part, flag, defs)
  )
  const properties = (node.properties ?? {}) as Definitions
  const hidden = Object.keys(properties).filter((name) => isFlagged(properties[name] as JsonSchema, flag, defs))
  return hidden.length === 0 ? node : withoutFields(node, hidden)
}

function withoutFields(node: JsonSchema, hidden: readonly string[]): JsonSchema {
  const { additionalProperties, ...rest } = node
  const kept = Object.entries(node.properties as Definitions).filter(([name]) => !hidden.includes(name))
  const required = ((node.required ?? []) as string[]).filter((name) => !hidden.includes(name))
  const closed = { ...rest, properties: Object.fromEntries(kept), ...(node.required !== undefined && { required }) }
  const isOpen = typeof additionalProperties === 'object' || additionalProperties === true
  if (!isOpen) return { ...closed, ...(additionalProperties === false && { additionalProperties }) }
  // Other fields may be there, but not these.
  const names = Object.keys(node.properties as Definitions).map((name) => name.replace(/[^\w]/g, '\\$&'))
  const others = { [`^(?!(${names.join('|')})$)`]: additionalProperties }
  return {
    ...closed,
    patternProperties: { ...(node.patternProperties as object | undefined), ...others },
    additionalProperties: false
  }
}
