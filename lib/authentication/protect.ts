import type { HookContext, NextFunction } from '../../types/hooks.js'
import { outermost } from '../core/hooks.js'

/** A record without some of its fields. What has none of them stays as it is. */
export function without(record: unknown, fields: readonly string[]): unknown {
  if (typeof record !== 'object' || record === null) return record
  const plain = (
    typeof (record as { toJSON?: unknown }).toJSON === 'function' ? (record as { toJSON(): unknown }).toJSON() : record
  ) as object
  if (typeof plain !== 'object' || plain === null || !fields.some((field) => field in plain)) return record
  return Object.fromEntries(Object.entries(plain).filter(([key]) => !fields.includes(key)))
}

/**
 * A hook that keeps fields out of everything that leaves: it sets `context.dispatch`, and for calls over HTTP `context.result` too. It
 * stands outside all other hooks of a service, wherever it is added. What the server calls itself gets all fields.
 *
 * @param fields the names of the fields
 * @returns a hook for `around` or `after`
 * @throws when no field is named
 * @example
 * app.service('users').hooks({ around: { all: [protect('password')] } })
 */
export function protect(...fields: string[]): (context: HookContext, next?: NextFunction) => Promise<void> {
  if (fields.length === 0) throw new Error("protect needs the name of a field: protect('password')")
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((record) => without(record, fields))
    const { data } = Object(value) as { data?: unknown }
    return Array.isArray(data) ? { ...(value as object), data: clean(data) } : without(value, fields)
  }
  const hook = async (context: HookContext, next?: NextFunction) => {
    await next?.()
    context.dispatch = clean(context.dispatch === undefined ? context.result : context.dispatch)
    if (context.params.provider) context.result = context.dispatch
  }
  return Object.assign(hook, { [outermost]: true })
}
