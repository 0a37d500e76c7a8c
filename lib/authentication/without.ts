import { types } from 'node:util'
import { define } from '../core/facade.js'

type Fields = readonly string[]

/**
 * A value without some fields, at any depth, as JSON reads it: for what has a `toJSON` that is what it returns. What has none of the
 * fields stays the object that it is. What has one is copied, and not changed; the fields themselves are not read. What may answer
 * otherwise when it is asked again, as a `toJSON` or a getter may, is asked once: what it gave stands there instead.
 *
 * @throws what a getter or a `toJSON` throws, and where the value is nested too deep
 */
export const without = (value: unknown, fields: Fields): unknown =>
  clean(value, '', { fields, copies: new Map(), answers: new Map() })

interface Walk {
  readonly fields: Fields
  /** What stands for each object that was met. For one that is met within itself it is a copy, not finished yet. */
  readonly copies: Map<object, unknown>
  /** The same for what has a `toJSON`, by the key that it was asked for. */
  readonly answers: Map<object, Map<string, unknown>>
}

function clean(value: unknown, key: string, walk: Walk): unknown {
  if (!isPart(value)) return value
  const { toJSON } = value as { toJSON?: unknown }
  // Dates are many, and have no fields. Bytes are no record.
  if (toJSON === Date.prototype.toJSON || ArrayBuffer.isView(value)) return value
  if (typeof toJSON === 'function') return cleanAnswer(value, key, (key) => toJSON.call(value, key), walk)
  if (typeof value === 'function') return value
  const known = walk.copies.get(value)
  return known === undefined ? cleanObject(value, false, (kept) => walk.copies.set(value, kept), walk) : known
}

function cleanAnswer(value: object, key: string, toJSON: (key: string) => unknown, walk: Walk): unknown {
  const answers = walk.answers.get(value) ?? new Map<string, unknown>()
  walk.answers.set(value, answers)
  if (answers.has(key)) return answers.get(key)
  const answer = toJSON(key)
  // JSON asks a `toJSON` once. It would ask that of the answer too, if it was still there.
  const isAsked = typeof (answer as { toJSON?: unknown } | null | undefined)?.toJSON === 'function'
  if (typeof answer !== 'object' || answer === null) return typeof answer === 'function' ? undefined : answer
  return cleanObject(answer, isAsked, (kept) => answers.set(key, kept), walk)
}

function cleanObject(value: object, isCopied: boolean, keep: (kept: object) => void, walk: Walk): object {
  // JSON reads nothing of it but the text or the number.
  if (types.isBoxedPrimitive(value)) return value
  const copy = Array.isArray(value) ? [] : {}
  keep(copy)
  const isSame = Array.isArray(value)
    ? copyList(value, copy as unknown[], walk)
    : copyObject(value as Plain, copy as Plain, walk)
  if (!isSame || isCopied || types.isProxy(value)) return copy
  keep(value)
  return value
}

/** @returns whether the copy is the same */
function copyList(list: readonly unknown[], copy: unknown[], walk: Walk): boolean {
  let isSame = true
  // By index, as JSON does: a class may iterate otherwise.
  for (let index = 0; index < list.length; index++) {
    const isFixed = isValue(list, index)
    const item = list[index]
    const kept = isPart(item) ? clean(item, String(index), walk) : item
    if (!isFixed || !Object.is(kept, item)) isSame = false
    copy.push(kept)
  }
  return isSame
}

type Plain = Record<string, unknown>

/** @returns whether the copy is the same */
function copyObject(plain: Plain, copy: Plain, walk: Walk): boolean {
  const { fields } = walk
  // A field that JSON does not read, one of a class for example, may be read by a schema or a formatter.
  let isSame = !fields.some((field) => field in plain)
  for (const key of Object.keys(plain)) {
    if (fields.includes(key)) {
      isSame = false
      continue
    }
    const isFixed = isValue(plain, key)
    const item = plain[key]
    const kept = clean(item, key, walk)
    if (!isFixed || !Object.is(kept, item)) isSame = false
    if (key === '__proto__') define(copy, key, kept)
    // It would give the fields back.
    else if (key !== 'toJSON' || typeof kept !== 'function') copy[key] = kept
  }
  return isSame
}

const isPart = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

// It takes half the time that a property descriptor takes.
const { __lookupGetter__: getterOf } = Object.prototype as unknown as {
  __lookupGetter__(this: object, key: PropertyKey): unknown
}

/** Whether a property is no accessor, which may give something else when it is read again. */
const isValue = (object: object, key: PropertyKey) => getterOf.call(object, key) === undefined
