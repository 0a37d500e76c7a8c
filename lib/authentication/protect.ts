import type { HookContext, NextFunction } from '../../types/hooks.js'
import { BadRequest } from '../core/errors.js'
import { onStart, outermost, type Place } from '../core/hooks.js'

/** A record without some of its fields. What has none of them stays as it is. */
export function without(record: unknown, fields: readonly string[]): unknown {
  const { toJSON } = Object(record) as { toJSON?: unknown }
  const plain: unknown = typeof toJSON === 'function' ? toJSON.call(record) : record
  if (typeof plain !== 'object' || plain === null || !fields.some((field) => field in plain)) return record
  return Object.fromEntries(Object.entries(plain).filter(([key]) => !fields.includes(key)))
}

/** Whether a query names one of the fields, at any depth. To select a field is no use, as it does not leave. */
function names(query: unknown, fields: readonly string[]): boolean {
  if (typeof query !== 'object' || query === null) return false
  return Object.entries(query).some(
    ([key, value]) => fields.includes(key) || (key !== '$select' && names(value, fields))
  )
}

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
  const cleanOne = (record: unknown) => without(record, fields)
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cleanOne)
    const record = cleanOne(value)
    const { data } = Object(record) as { data?: unknown }
    return Array.isArray(data) ? { ...(record as object), data: data.map(cleanOne) } : record
  }
  const hook = async (context: HookContext, next: NextFunction) => {
    const { provider, query } = context.params
    if (provider && names(query, fields)) throw new BadRequest(`There is nothing to ask about: ${fields.join(', ')}`)
    await next()
    context.dispatch = clean(context.dispatch === undefined ? context.result : context.dispatch)
    if (provider) context.result = context.dispatch
  }
  const check = ({ path, type }: Place) => {
    if (type !== 'around') throw new Error(`protect at '${path}' is a hook for 'around', not for '${type}'`)
  }
  return Object.assign(hook, { [outermost]: true, [onStart]: check })
}
