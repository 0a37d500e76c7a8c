import { define } from '../core/facade.js'

type Fields = readonly string[]

/**
 * A value without some fields, at any depth, as JSON reads it: for what has a `toJSON` that is what it returns. What has none of the
 * fields stays the object that it is. What has one is copied, and not changed; the fields themselves are not read.
 *
 * @throws what a getter or a `toJSON` throws, and where the value is nested too deep
 */
export const without = (value: unknown, fields: Fields): unknown =>
  isPart(value) ? clean(value, fields, new Map()) : value

// Dates are many, and have no fields.
const isPart = (value: unknown): value is object =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  (value as { toJSON?: unknown }).toJSON !== Date.prototype.toJSON

/** What stands for each object that was met. For one that is met within itself it is a copy, not finished yet. */
type Met = Map<object, unknown>

function clean(value: object, fields: Fields, met: Met): unknown {
  const known = met.get(value)
  if (known !== undefined) return known
  const plain = plainOf(value)
  if (plain === undefined) return value
  const copy = Array.isArray(plain) ? [] : {}
  met.set(value, copy)
  const isSame = Array.isArray(plain)
    ? copyList(plain, copy as unknown[], fields, met)
    : copyObject(plain as Plain, copy as Plain, fields, met)
  if (!isSame) return copy
  met.set(value, value)
  return value
}

/** @returns whether the copy is the same */
function copyList(list: readonly unknown[], copy: unknown[], fields: Fields, met: Met): boolean {
  let isSame = true
  for (const item of list) {
    const kept = isPart(item) ? clean(item, fields, met) : item
    if (!Object.is(kept, item)) isSame = false
    copy.push(kept)
  }
  return isSame
}

type Plain = Record<string, unknown>

/** @returns whether the copy is the same */
function copyObject(plain: Plain, copy: Plain, fields: Fields, met: Met): boolean {
  // A field that JSON does not read, one of a class for example, may be read by a schema or a formatter.
  let isSame = !fields.some((field) => field in plain)
  for (const key of Object.keys(plain)) {
    if (fields.includes(key)) {
      isSame = false
      continue
    }
    const item = plain[key]
    const kept = isPart(item) ? clean(item, fields, met) : item
    if (!Object.is(kept, item)) isSame = false
    if (key === '__proto__') define(copy, key, kept)
    // It would give the fields back.
    else if (key !== 'toJSON' || typeof kept !== 'function') copy[key] = kept
  }
  return isSame
}

/** What JSON reads of an object: that of one with a `toJSON` of its own. `undefined` where it reads no fields. */
function plainOf(value: object): object | undefined {
  if (ArrayBuffer.isView(value)) return undefined
  const { toJSON } = value as { toJSON?: unknown }
  const plain: unknown = typeof toJSON === 'function' ? toJSON.call(value) : value
  return typeof plain === 'object' && plain !== null ? plain : undefined
}
