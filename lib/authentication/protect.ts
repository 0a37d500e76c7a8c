import type { HookContext, NextFunction } from '../../types/hooks.js'
import { BadRequest } from '../core/errors.js'
import { onStart, outermost, type Place } from '../core/hooks.js'

/** What of a value goes into JSON: that of a record with a `toJSON` of its own. Bytes are no record. */
function plainOf(value: unknown): unknown {
  const { toJSON } = Object(value) as { toJSON?: unknown }
  return typeof toJSON === 'function' && !ArrayBuffer.isView(value) ? toJSON.call(value) : value
}

/** A record without some of its fields. What has none of them stays as it is. */
export function without(record: unknown, fields: readonly string[]): unknown {
  const plain = plainOf(record)
  if (typeof plain !== 'object' || plain === null || !fields.some((field) => field in plain)) return record
  return Object.fromEntries(Object.entries(plain).filter(([key]) => !fields.includes(key)))
}

/** The same for a list, a page or a record. */
function clean(value: unknown, fields: readonly string[]): unknown {
  const plain = plainOf(value)
  if (Array.isArray(plain)) return plain.map((record) => without(record, fields))
  const { data } = Object(plain) as { data?: unknown }
  if (!Array.isArray(data)) return without(value, fields)
  return without({ ...(plain as object), data: data.map((record) => without(record, fields)) }, fields)
}

/**
 * Whether a query names one of the fields, at any depth: by itself, with a table before it, or, for adapters that read SQL there, in
 * a longer text. To select a field is no use, as it does not leave, unless it is under another name.
 */
function names(query: unknown, fields: readonly string[]): boolean {
  const isNamed = (text: string) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}_$]+/u)
      .some((word) => fields.some((field) => field.toLowerCase() === word))
  const isSelected = (value: unknown) =>
    typeof value === 'string' ? !fields.includes(value) && isNamed(value) : names(value, fields)
  return Object.entries(Object(query) as object).some(
    ([key, value]) =>
      isNamed(key) || (key === '$select' ? [value].flat().some(isSelected) : isObject(value) && names(value, fields))
  )
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/**
 * An around hook that keeps fields out of everything that leaves: it sets `context.dispatch`, and for calls over HTTP `context.result`
 * too, and refuses a query of theirs that names a field. It stands outside all other hooks of a service, wherever it is added. What the
 * server calls itself gets all fields.
 *
 * @param fields the names of the fields
 * @returns a hook for `around`; it throws BadRequest for a query over HTTP that names one of the fields
 * @throws when no field is named; when the server starts, if it is no around hook
 * @example
 * app.service('users').hooks({ around: { all: [protect('password')] } })
 */
export function protect(...fields: string[]): (context: HookContext, next: NextFunction) => Promise<void> {
  if (fields.length === 0) throw new Error("protect needs the name of a field: protect('password')")
  const hook = async (context: HookContext, next: NextFunction) => {
    const { provider, query } = context.params
    if (provider && names(query, fields)) throw new BadRequest(`There is nothing to ask about: ${fields.join(', ')}`)
    await next()
    context.dispatch = clean(context.dispatch === undefined ? context.result : context.dispatch, fields)
    if (provider) context.result = context.dispatch
  }
  const check = ({ path, type }: Place) => {
    if (type !== 'around') throw new Error(`protect at '${path}' is a hook for 'around', not for '${type}'`)
  }
  return Object.assign(hook, { [outermost]: true, [onStart]: check })
}
