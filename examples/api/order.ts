import type { HookContext } from 'fastify-services'

/** Makes the order of a list end with the id: a database may give each page of a list without one in another order. */
export function sortById(context: HookContext): void {
  const { $sort, ...query } = context.params.query ?? {}
  context.params = { ...context.params, query: { ...query, $sort: { ...$sort, id: $sort?.id ?? 1 } } }
}
