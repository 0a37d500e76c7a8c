import type { AroundHook, HookContext } from '../../types/hooks.js'
import { idFieldOf } from './adapters/feathers.js'
import { aroundOnly, forbidAsHook, withTraits } from './hooks.js'
import { isPlain } from './objects.js'
import { inspect } from './options.js'

/**
 * Creates an around hook that ends the order of each `find` with the id. Without it, a database may
 * return records with equal values of `$sort` in another order for each page, so that a record is
 * on two pages and another one on none.
 *
 * @param field the unique field to end with. Default: the id of the service. Name its table if the
 * service joins tables: `'cities.id'`
 * @returns a hook for `around`, of one service or of all
 * @throws if the field is no name; when the server starts, if it is no around hook
 * @example
 * await app.register(services, { hooks: { around: { find: [stableOrder()] } } })
 */
export function stableOrder(field?: string): AroundHook<HookContext> {
  if (field !== undefined && (typeof field !== 'string' || field === ''))
    throw new TypeError(`stableOrder needs the name of a field: stableOrder('id'), or nothing, got ${inspect(field)}`)
  const hook: AroundHook<HookContext> = (context, next) => {
    const { method, params, service } = context
    const { $sort = {}, ...query } = params.query ?? {}
    if (method !== 'find' || !isPlain($sort)) return next()
    const last = field ?? idFieldOf(service)
    // An index of both fields can be read backwards, but not in two directions.
    const direction = $sort[last] ?? Object.values($sort).at(-1) ?? 1
    context.params = { ...params, query: { ...query, $sort: { ...$sort, [last]: direction } } }
    return next()
  }
  return withTraits(hook, { isInnermost: true, check: aroundOnly('stableOrder') })
}

forbidAsHook(stableOrder, 'stableOrder()')
