import { kinds } from './reader.js'
import type { Shape } from './shape.js'

/** Reads what a URL or a form holds as what a schema asks for. What can't be read stays as it is, and the schema refuses it. */
export type ReadText = (value: unknown) => unknown

/** Makes what reads a value of a shape. */
export const textReader = (shape: Shape): ReadText => shape.remember(textReader, () => create(shape))

function create(shape: Shape): ReadText {
  if (isAnything(shape)) return (value) => value
  if ((shape.kinds & kinds.array) !== 0) return readList(shape.of({}))
  if ((shape.kinds & kinds.object) !== 0) return readFields(shape)
  const parts = [...shape.parts]
  const values = parts.flatMap(({ enum: list = [], const: constant }) => (constant === undefined ? list : [constant]))
  const byText = new Map(values.map((value) => [String(value), value]))
  const readScalar = scalarReader(shape)
  return (text) => (typeof text === 'string' && byText.has(text) ? byText.get(text) : readScalar(text))
}

const isAnything = (shape: Shape) => shape.kinds === kinds.all && shape.saysNothing

const whole = /^-?\d+$/
const decimal = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

// A text is a text wherever it may be one: `null` is no `null` there.
function scalarReader({ kinds: allowed, parts }: Shape): ReadText {
  if ((allowed & kinds.string) !== 0) return (text) => text
  const types = [...parts].flatMap(({ type = [] }) => type)
  const isNumber = (allowed & kinds.number) !== 0
  const isWhole = types.includes('integer') && !types.includes('number')
  return (text) => {
    if (typeof text !== 'string') return text
    if (isNumber && !isWhole && decimal.test(text)) return Number(text)
    // Another number than the one that was written, and so another record, must not be found.
    if (isNumber && isWhole && whole.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text
    if ((allowed & kinds.boolean) !== 0 && (text === 'true' || text === 'false')) return text === 'true'
    return text === 'null' && (allowed & kinds.null) !== 0 ? null : text
  }
}

function readList(shape: Shape): ReadText {
  return (value) => {
    const list = toList(value)
    return Array.isArray(list) ? list.map((item, index) => textReader(shape.item(index).shape)(item)) : list
  }
}

function readFields(union: Shape): ReadText {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const shape = union.of(value)
    return Object.fromEntries(
      Object.entries(value).map(([name, text]) => [name, textReader(shape.field(name).shape)(text)])
    )
  }
}

/** A list as `qs` gives it: a single value is no list there, and a long list an object with indices as keys. */
export function toList(value: unknown): unknown {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every((key, index) => key === String(index)) ? Object.values(value) : value
}
