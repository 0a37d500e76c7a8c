import type { Hook, HookContext } from '../../types/hooks.js'
import { BadRequest } from './errors.js'
import { withTraits } from './hooks.js'
import { isPlain } from './objects.js'

/**
 * Creates a before hook for Feathers adapters that maps `$le` to `$lte`, `$ge` to `$gte`, and `$eq`
 * to plain equality.
 *
 * @throws {BadRequest} in a call, if `$or`, `$and` or `$nor` is no list of queries, `$sort` no
 * object, or `$select` no list of names, which adapters answer with 500
 *
 * @example
 * app.service('messages').hooks({ before: { all: [commonOperators()] } })
 */
export function commonOperators(): Hook<HookContext> {
  const hook: Hook<HookContext> = (context) => {
    const { query } = context.params
    if (query !== undefined) context.params = { ...context.params, query: mapQuery(query) }
  }
  return withTraits(hook, {})
}

const adapterOperators: ReadonlyMap<string, string> = new Map([
  ['$le', '$lte'],
  ['$ge', '$gte'],
  ['$eq', '$in']
])

const isQueries = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isPlain)
const isNames = (value: unknown) => [value].flat().every((name) => typeof name === 'string')

type OperatorDemand = readonly [is: (value: unknown) => boolean, must: string]

const ofQueries: OperatorDemand = [isQueries, 'a list of queries']

/** The kind of value that an operator takes, with the words for an error. */
const operatorDemands: ReadonlyMap<string, OperatorDemand> = new Map([
  ['$or', ofQueries],
  ['$and', ofQueries],
  ['$nor', ofQueries],
  ['$sort', [isPlain, 'an object, as in $sort[name]=1']],
  ['$select', [isNames, 'a list of names']]
])

function checkOperators(query: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(query)) {
    const [is, must] = operatorDemands.get(name) ?? []
    if (value !== undefined && is?.(value) === false) throw new BadRequest(`${name} must be ${must}`)
  }
}

/** Maps the operators of each field; `$or`, `$and` and the like hold queries of their own. */
function mapQuery(query: Record<string, unknown>): Record<string, unknown> {
  checkOperators(query)
  const entries = Object.entries(query).map(([key, value]) => {
    if (!key.startsWith('$')) return [key, mapField(value)]
    return [key, Array.isArray(value) ? value.map((inner) => (isPlain(inner) ? mapQuery(inner) : inner)) : value]
  })
  return Object.fromEntries(entries)
}

// If two operators would become one, neither is dropped: the adapter refuses the one that it does
// not know.
function mapField(value: unknown): unknown {
  if (!isPlain(value)) return value
  checkOperators(value)
  const keys = Object.keys(value)
  if (keys.length === 1 && keys[0] === '$eq') return value.$eq
  const entries = Object.entries(value).map(([key, inner]) => {
    const name = adapterOperators.get(key)
    if (name === undefined || name in value) return [key, mapField(inner)]
    return [name, key === '$eq' ? [inner] : inner]
  })
  return Object.fromEntries(entries)
}
