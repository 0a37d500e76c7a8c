import { mayBeSerialized } from '../schema/redacted-fields.js'
import { resolveToJson } from '../schema/to-json.js'
import { attempt, readProperty, ServiceError, withPlainAsError } from './errors.js'
import { define } from './facade.js'

type FieldNames = readonly string[]

/** Decides by rules which names are hidden, if a list can't name all of them. */
interface HidingNames {
  /** Whether a field is hidden. */
  isHidden(name: string): boolean
  /**
   * Whether a field may hold objects with hidden fields: a text in the place of one may be it, and
   * is left out as bytes are.
   */
  isTextless?(name: string): boolean
}

/** Checks of values that only the platform can make: `types` of `node:util`. */
interface ValueTypes {
  isProxy(value: unknown): boolean
  isBoxedPrimitive(value: unknown): boolean
}

/**
 * A value without some fields, at any depth, as JSON reads it: of an object with a `toJSON`, the
 * answer of that method counts. An object without any of the fields is returned as it is. One that
 * has a field is copied, not changed, and the field is not read. A `toJSON` or a getter may give
 * something else the next time, so it is called once, and the result holds what it gave.
 *
 * @param names which names are those of the fields, where rules describe further ones
 * @throws the error of a getter or a `toJSON`, or a RangeError if the value is nested too deep
 */
export function redactFields(
  value: unknown,
  fields: FieldNames,
  types: ValueTypes,
  names = listedNames(fields)
): unknown {
  const begin = (isTextless: boolean): Cleaning => {
    const results = { copies: new Map<object, unknown>(), answers: new Map<object, Map<string, unknown>>() }
    return { fields, types, isTextless, ...results, isHidden: names.isHidden, ofField }
  }
  const withTexts = begin(false)
  let textless: Cleaning | undefined
  function ofField(name: string) {
    if (!names.isTextless?.(name)) return withTexts
    textless ??= begin(true)
    return textless
  }
  return clean(value, '', withTexts)
}

const listedNames = (fields: FieldNames): HidingNames => ({ isHidden: (name) => fields.includes(name) })

interface Cleaning extends Pick<HidingNames, 'isHidden'> {
  readonly fields: FieldNames
  readonly types: ValueTypes
  /**
   * Whether a text that may be an object is left out where it stands in the place of a value, or of
   * an item of it.
   */
  readonly isTextless: boolean
  /** Returns the state for the value of a field. */
  ofField(name: string): Cleaning
  /**
   * The result for each object that was met. For an object that contains itself, this is the
   * unfinished copy.
   */
  readonly copies: Map<object, unknown>
  /** The same for objects with a `toJSON`, by the key that the method was called with. */
  readonly answers: Map<object, Map<string, unknown>>
}

function clean(value: unknown, key: string, cleaning: Cleaning): unknown {
  if (!isObjectLike(value)) return withoutText(value, cleaning)
  const { toJSON } = value
  // Dates are frequent and have no fields. Bytes are not a record.
  if (toJSON === Date.prototype.toJSON) return value
  if (ArrayBuffer.isView(value)) return cleaning.isTextless ? undefined : value
  if (typeof toJSON === 'function') return cleanAnswer(value, key, (key) => toJSON.call(value, key), cleaning)
  if (typeof value === 'function') return value
  const earlierResult = cleaning.copies.get(value)
  return earlierResult === undefined
    ? cleanObject(value, false, (result) => cleaning.copies.set(value, result), cleaning)
    : earlierResult
}

const withoutText = (value: unknown, { isTextless }: Cleaning) =>
  isTextless && typeof value === 'string' && mayBeSerialized(value) ? undefined : value

function cleanAnswer(value: object, key: string, toJSON: (key: string) => unknown, cleaning: Cleaning): unknown {
  const answers = cleaning.answers.get(value) ?? new Map<string, unknown>()
  cleaning.answers.set(value, answers)
  if (answers.has(key)) return answers.get(key)
  const answer = toJSON(key)
  if (typeof answer === 'function') return undefined
  if (!isObjectLike(answer)) return withoutText(answer, cleaning)
  // JSON calls `toJSON` once. An answer that has a `toJSON` itself is copied without it, or JSON
  // would call that one.
  const isCopied = typeof answer.toJSON === 'function'
  return cleanObject(answer, isCopied, (result) => answers.set(key, result), cleaning)
}

function cleanObject(
  value: ObjectLike,
  isCopied: boolean,
  keep: (result: object) => void,
  cleaning: Cleaning
): unknown {
  // Of a boxed primitive, JSON reads only the text or the number.
  if (cleaning.types.isBoxedPrimitive(value))
    return cleaning.isTextless ? withoutText(value.valueOf(), cleaning) : value
  const { copy, isSame } = Array.isArray(value) ? copyList(value, keep, cleaning) : copyObject(value, keep, cleaning)
  if (!isSame || isCopied || cleaning.types.isProxy(value)) return copy
  keep(value)
  return value
}

/** A copy, and whether nothing in it differs. */
interface Copied {
  readonly copy: object
  readonly isSame: boolean
}

function copyList(list: readonly unknown[], keep: (result: object) => void, cleaning: Cleaning): Copied {
  const copy: unknown[] = []
  keep(copy)
  let isSame = true
  // Read by index, as JSON does, since a subclass of Array may have another iterator.
  for (let index = 0; index < list.length; index++) {
    const isFixed = isValue(list, index)
    const item = list[index]
    const cleaned = isObjectLike(item) ? clean(item, String(index), cleaning) : withoutText(item, cleaning)
    if (!isFixed || !Object.is(cleaned, item)) isSame = false
    copy.push(cleaned)
  }
  return { copy, isSame }
}

function copyObject(plain: ObjectLike, keep: (result: object) => void, cleaning: Cleaning): Copied {
  const { fields, isHidden, ofField } = cleaning
  const copy: Record<string, unknown> = {}
  keep(copy)
  // JSON does not read an inherited field, but a schema or a formatter may.
  let isSame = !fields.some((field) => field in plain)
  for (const key of Object.keys(plain)) {
    if (isHidden(key)) {
      isSame = false
      continue
    }
    const isFixed = isValue(plain, key)
    const item = plain[key]
    const cleaned = clean(item, key, ofField(key))
    if (!isFixed || !Object.is(cleaned, item)) isSame = false
    if (key === '__proto__') define(copy, key, cleaned)
    // A method `toJSON` would give the fields back.
    else if (key !== 'toJSON' || typeof cleaned !== 'function') copy[key] = cleaned
  }
  return { copy, isSame }
}

type ObjectLike = Record<string, unknown>
const isObjectLike = (value: unknown): value is ObjectLike =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

// `__lookupGetter__` takes half the time of `Object.getOwnPropertyDescriptor`.
const getterOf: (this: object, key: PropertyKey) => unknown = Reflect.get(Object.prototype, '__lookupGetter__')

/** Whether a property has no getter, which may give something else when it is read again. */
const isValue = (object: object, key: PropertyKey) => getterOf.call(object, key) === undefined

// The properties that every error has, beside `errors`. They stay even if a hidden field has the
// same name; their values are cleaned.
const envelope = ['name', 'message', 'code', 'className', 'data']

/**
 * An error without some fields in what it tells a client: `data`, `errors`, and what its `toJSON`
 * adds to them. The names in `errors` are kept, since they say which field a message is about. An
 * error that has none of the fields is returned as it is; for another one, an object that inherits
 * from it is returned, so that its class stays the same.
 */
export function redactError<E>(
  thrown: E,
  fields: FieldNames,
  types: ValueTypes,
  names: HidingNames = listedNames(fields)
): E {
  const error = withPlainAsError(thrown) as E
  // A value whose getter throws is left out.
  const cleanValue = (value: unknown) => attempt(() => redactFields(value, fields, types, names))
  const cleanField = (value: unknown, key: string) => Object(cleanValue({ [key]: value }))[key]
  const cleanMessages = (input: unknown) =>
    attempt(() => {
      const value = resolveToJson(input)
      return Array.isArray(value) ? cleanValue(value) : mapEntries(value, cleanValue)
    })
  const cleanProperty = (value: unknown, key: string) =>
    key === 'errors' ? cleanMessages(value) : envelope.includes(key) ? cleanValue(value) : cleanField(value, key)

  const changed: PropertyDescriptorMap = {}
  for (const key of ['data', 'errors', 'validation']) {
    const original = readProperty(error, key)
    const value = cleanProperty(original, key)
    if (value !== original || isAccessor(error, key, types)) changed[key] = { value, enumerable: true }
  }
  const toJSON = readProperty(error, 'toJSON')
  const json =
    typeof toJSON === 'function' ? attempt(() => resolveToJson({ toJSON: () => toJSON.call(error) })) : undefined
  const cleanedJson = mapEntries(json, cleanProperty)
  // A `toJSON` of the application may give something else when it is called again.
  if (cleanedJson !== json || (typeof toJSON === 'function' && toJSON !== ServiceError.prototype.toJSON))
    changed.toJSON = { value: () => cleanedJson }
  if (Object.keys(changed).length === 0) return error
  // By a symbol an adapter keeps the error of its driver, by which hooks know what a database has
  // refused.
  attempt(() => {
    for (const symbol of Object.getOwnPropertySymbols(Object(error)))
      Object.assign(changed, { [symbol]: { value: readProperty(error, symbol) } })
  })
  return Object.create(Object(error), changed)
}

/**
 * Whether a property is an accessor, of the error or of its class: it may give something else when
 * it is read again.
 */
function isAccessor(error: unknown, key: string, types: ValueTypes): boolean {
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
  const entries = Object.entries(object)
  const changed = entries.map(([key, value]) => [key, change(value, key)] as const)
  return changed.every(([, value], index) => Object.is(value, entries[index]?.[1]))
    ? object
    : Object.fromEntries(changed)
}
