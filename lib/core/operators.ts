import type { Hook, HookContext } from '../../types/hooks.js'

/**
 * A before hook that maps operators of the specification to those that the Feathers database adapters know: `$le` → `$lte`,
 * `$ge` → `$gte`, and `$eq` → plain equality.
 *
 * @example
 * app.service('messages').hooks({ before: { all: [commonOperators()] } })
 */
export function commonOperators(): Hook<HookContext> {
  return (context) => {
    const { query } = context.params
    if (query !== undefined) context.params = { ...context.params, query: map(query) as typeof query }
  }
}

const names: ReadonlyMap<string, string> = new Map([
  ['$le', '$lte'],
  ['$ge', '$gte']
])

function map(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(map)
  if (!isPlain(value)) return value
  const { $eq, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [names.get(key) ?? key, map(inner)])
  )
  if ($eq === undefined) return rest
  return Object.keys(rest).length === 0 ? $eq : { ...rest, $in: [$eq] }
}

// Dates, ids of databases and the like are values.
function isPlain(value: unknown): value is Record<string, unknown> {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined
  return prototype === Object.prototype || prototype === null
}
