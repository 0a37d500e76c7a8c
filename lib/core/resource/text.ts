import type { JsonSchema } from '../../../types/resource.js'
import { isObject } from '../plain.js'

type Definitions = Readonly<Record<string, JsonSchema>>

/** Reads what a URL or a form holds as what a schema asks for. What can't be read stays as it is, and the schema refuses it. */
export type Read = (value: unknown) => unknown

/** The types that a value of a schema may have, by all of its branches. */
export function typesOf({ type, anyOf, oneOf, allOf, enum: values }: JsonSchema): ReadonlySet<string> {
  const branches = [anyOf, oneOf, allOf].flatMap((list) => (list ?? []) as JsonSchema[])
  const types = type ?? ((values ?? []) as unknown[]).map((value) => (value === null ? 'null' : typeof value))
  return new Set([...([types].flat() as string[]), ...branches.flatMap((branch) => [...typesOf(branch)])])
}

/** The schema that a reference leads to, and those that the branches of a union lead to. */
export function resolve(schema: JsonSchema, defs: Definitions): JsonSchema {
  const { $ref, ...rest } = schema
  const target = typeof $ref === 'string' ? defs[$ref.replace('#/$defs/', '')] : undefined
  const found = target === undefined ? schema : { ...resolve(target, defs), ...rest }
  const unions = (['anyOf', 'oneOf', 'allOf'] as const).filter((key) => found[key] !== undefined)
  const branches = unions.map((key) => [key, (found[key] as JsonSchema[]).map((branch) => resolve(branch, defs))])
  return unions.length === 0 ? found : { ...found, ...Object.fromEntries(branches) }
}

/** Makes what reads a value of a schema. */
export function createRead(schema: JsonSchema, defs: Definitions = {}): Read {
  const found = resolve(schema, defs)
  const types = typesOf(found)
  if (types.has('array')) return readList(found.items as JsonSchema | undefined, defs)
  if (types.has('object')) return readFields((found.properties ?? {}) as Definitions, defs)
  const values = found.enum as unknown[] | undefined
  if (values === undefined) return readText(types)
  const byText = new Map(values.map((value) => [String(value), value]))
  return (text) => (typeof text === 'string' && byText.has(text) ? byText.get(text) : text)
}

const whole = /^-?\d+$/
const decimal = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

// A text is a text wherever it may be one: `null` is no `null` there.
function readText(types: ReadonlySet<string>): Read {
  if (types.has('string')) return (text) => text
  const isDecimal = types.has('number')
  const isWhole = types.has('integer') && !isDecimal
  return (text) => {
    if (typeof text !== 'string') return text
    if (isDecimal && decimal.test(text)) return Number(text)
    // Another number than the one that was written, and so another record, must not be found.
    if (isWhole && whole.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text
    if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
    return text === 'null' && types.has('null') ? null : text
  }
}

function readList(items: JsonSchema | undefined, defs: Definitions): Read {
  const read = once(() => createRead(items ?? {}, defs))
  return (value) => {
    const list = toList(value)
    return Array.isArray(list) ? list.map(read()) : list
  }
}

function readFields(properties: Definitions, defs: Definitions): Read {
  const fields = new Map(
    Object.entries(properties).map(([name, schema]) => [name, once(() => createRead(schema, defs))])
  )
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const field = fields.get(name)
        return [name, field === undefined ? inner : field()(inner)]
      })
    )
  }
}

// A schema may refer to itself.
function once<T>(create: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= create()
    return made
  }
}

/** A list as `qs` gives it: a single value is no list there, and a long list an object with indices as keys. */
export function toList(value: unknown): unknown {
  if (typeof value === 'string') return [value]
  if (!isObject(value)) return value
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every((key, index) => key === String(index)) ? Object.values(value) : value
}
