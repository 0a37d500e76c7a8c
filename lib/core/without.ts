import { attempt, read, ServiceError } from './errors.js'
import { define } from './facade.js'

type Fields = readonly string[]

/** Tells of a value what only the platform knows: `types` of `node:util`. */
export interface ValueTypes {
  isProxy(value: unknown): boolean
  isBoxedPrimitive(value: unknown): boolean
}

/**
 * A value without some fields, at any depth, as JSON reads it: of an object with a `toJSON`, the answer of that method counts. An
 * object without any of the fields is returned as it is. One that has a field is copied, not changed, and the field is not read. A
 * `toJSON` or a getter may give something else the next time, so it is called once, and the result holds what it gave.
 *
 * @throws what a getter or a `toJSON` throws; a RangeError when the value is nested too deep
 */
export const without = (value: unknown, fields: Fields, types: ValueTypes): unknown =>
  clean(value, '', { fields, types, copies: new Map(), answers: new Map() })

interface Walk {
  readonly fields: Fields
  readonly types: ValueTypes
  /** The result for each object that was met. For an object that contains itself, this is the unfinished copy. */
  readonly copies: Map<object, unknown>
  /** The same for objects with a `toJSON`, by the key that the method was called with. */
  readonly answers: Map<object, Map<string, unknown>>
}

function clean(value: unknown, key: string, walk: Walk): unknown {
  if (!isPart(value)) return value
  const { toJSON } = value
  // Dates are frequent and have no fields. Bytes are not a record.
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
  if (typeof answer === 'function') return undefined
  if (!isPart(answer)) return answer
  // JSON calls a `toJSON` once. If the answer kept its own, that would be called too.
  const isCopied = typeof answer.toJSON === 'function'
  return cleanObject(answer, isCopied, (kept) => answers.set(key, kept), walk)
}

function cleanObject(value: Part, isCopied: boolean, keep: (kept: object) => void, walk: Walk): object {
  // JSON reads only the text or the number of it.
  if (walk.types.isBoxedPrimitive(value)) return value
  const { copy, isSame } = Array.isArray(value) ? copyList(value, keep, walk) : copyObject(value, keep, walk)
  if (!isSame || isCopied || walk.types.isProxy(value)) return copy
  keep(value)
  return value
}

/** A copy, and whether nothing in it differs. */
interface Copied {
  readonly copy: object
  readonly isSame: boolean
}

function copyList(list: readonly unknown[], keep: (kept: object) => void, walk: Walk): Copied {
  const copy: unknown[] = []
  keep(copy)
  let isSame = true
  // By index, as JSON does: a class may have another iterator.
  for (let index = 0; index < list.length; index++) {
    const isFixed = isValue(list, index)
    const item = list[index]
    const kept = isPart(item) ? clean(item, String(index), walk) : item
    if (!isFixed || !Object.is(kept, item)) isSame = false
    copy.push(kept)
  }
  return { copy, isSame }
}

function copyObject(plain: Part, keep: (kept: object) => void, walk: Walk): Copied {
  const { fields } = walk
  const copy: Record<string, unknown> = {}
  keep(copy)
  // JSON does not read an inherited field, but a schema or a formatter may.
  let isSame = !fields.some((field) => field in plain)
  for (const key of Object.keys(plain)) {
    if (fields.includes(key)) continue
    const isFixed = isValue(plain, key)
    const item = plain[key]
    const kept = clean(item, key, walk)
    if (!isFixed || !Object.is(kept, item)) isSame = false
    if (key === '__proto__') define(copy, key, kept)
    // A method `toJSON` would give the fields back.
    else if (key !== 'toJSON' || typeof kept !== 'function') copy[key] = kept
  }
  return { copy, isSame }
}

type Part = Record<string, unknown>
const isPart = (value: unknown): value is Part =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

// It takes half the time of `Object.getOwnPropertyDescriptor`.
const getterOf: (this: object, key: PropertyKey) => unknown = Reflect.get(Object.prototype, '__lookupGetter__')

/** Whether a property has no getter, which may give something else when it is read again. */
const isValue = (object: object, key: PropertyKey) => getterOf.call(object, key) === undefined

// What every error has, beside `errors`. These properties are kept, also where a field has the same name, and only what is in them is cleaned.
const envelope = ['name', 'message', 'code', 'className', 'data']

/**
 * An error without some fields in what it tells a client: `data`, `errors`, and what its `toJSON` adds to them. The names in `errors`
 * are kept, since they say which field a message is about. An error that has none of the fields is returned as it is; for another one,
 * an object that inherits from it is returned, so that its class stays the same.
 */
export function errorWithout<E>(error: E, fields: readonly string[], types: ValueTypes): E {
  // A value that can't be read is left out.
  const keep = (value: unknown) => attempt(() => without(value, fields, types))
  const keepMessages = (value: unknown) => (Array.isArray(value) ? keep(value) : attempt(() => mapEntries(value, keep)))
  const keepTold = (value: unknown, key: string) =>
    key === 'errors' ? keepMessages(value) : fields.includes(key) && !envelope.includes(key) ? undefined : keep(value)

  const told: PropertyDescriptorMap = {}
  for (const key of ['data', 'errors', 'validation']) {
    const given = read(error, key)
    const value = keepTold(given, key)
    if (value !== given || isAsked(error, key, types)) told[key] = { value, enumerable: true }
  }
  const toJSON = read(error, 'toJSON')
  const given = typeof toJSON === 'function' ? attempt(() => toJSON.call(error)) : undefined
  const kept = mapEntries(given, keepTold)
  // A `toJSON` of the application may give something else when it is called again.
  if (kept !== given || (typeof toJSON === 'function' && toJSON !== ServiceError.prototype.toJSON))
    told.toJSON = { value: () => kept }
  return Object.keys(told).length === 0 ? error : Object.create(Object(error), told)
}

/** Whether a property is an accessor, of the error or of its class: it may give something else when it is read again. */
function isAsked(error: unknown, key: string, types: ValueTypes): boolean {
  for (let owner = error; typeof owner === 'object' && owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (types.isProxy(owner)) return true
    const property = Object.getOwnPropertyDescriptor(owner, key)
    if (property !== undefined) return property.get !== undefined
  }
  return false
}

/** A copy of an object with changed values, or the object itself where none has changed. */
function mapEntries(object: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (typeof object !== 'object' || object === null) return object
  const given = Object.entries(object)
  const changed = given.map(([key, value]) => [key, change(value, key)] as const)
  return changed.every(([, value], index) => Object.is(value, given[index]?.[1])) ? object : Object.fromEntries(changed)
}
