import type { AroundHook, HookContext } from '../../types/hooks.js'
import { BadRequest } from './errors.js'
import { aroundOnly, forbidAsHook, withTraits } from './hooks.js'
import { isPlain } from './objects.js'
import { checkOptionNames, inspect } from './options.js'

export interface SearchOptions {
  /**
   * The operator of the database adapter that compares with a pattern. Default: `'$ilike'`, which
   * PostgreSQL has. Other SQL databases have `'$like'`.
   */
  readonly operator?: `$${string}`
}

/**
 * Creates an around hook that turns parameters of a query into a text search: each word of the
 * parameter must be in one of the fields. `%`, `_` and `\` in a word stand for themselves. It
 * changes the query just before the method, so scopes and roles apply as to other queries.
 *
 * @param parameters the fields that each parameter searches. All callers can find out what they hold
 * @returns a hook for `around`
 * @throws if the fields are no lists of names; when the server starts, if it is no around hook
 * @throws {BadRequest} in a call, if a parameter is no text
 * @example
 * app.service('posts', posts, { hooks: { around: { find: [search({ q: ['title', 'text'] })] } } })
 * // GET /posts?q=big+cats → { $and: [{ $or: [{ title: { $ilike: '%big%' } }, { text: … }] }, …] }
 */
export function search(
  parameters: Readonly<Record<string, readonly string[]>>,
  options: SearchOptions = {}
): AroundHook<HookContext> {
  const searches = isPlain(parameters) ? Object.entries(parameters) : []
  if (searches.length === 0 || !searches.every(([, fields]) => isNames(fields)))
    throw new TypeError(
      `search needs the fields of each parameter: search({ q: ['title'] }), got ${inspect(parameters)}`
    )
  checkOptionNames(options, ['operator'], 'search has')
  const { operator = '$ilike' } = options
  const hook: AroundHook<HookContext> = (context, next) => {
    const { $and = [], ...query } = context.params.query ?? {}
    const conditions = searches.flatMap(([name, fields]) => {
      const words = toWords(name, query[name])
      delete query[name]
      return words.map((word) => ({ $or: fields.map((field) => ({ [field]: { [operator]: toPattern(word) } })) }))
    })
    const all = [$and, conditions].flat()
    context.params = { ...context.params, query: all.length > 0 ? { ...query, $and: all } : query }
    return next()
  }
  return withTraits(hook, { isInnermost: true, check: aroundOnly('search') })
}

forbidAsHook(search, "search({ q: ['title'] })")

const isNames = (fields: unknown) =>
  Array.isArray(fields) && fields.length > 0 && fields.every((field) => typeof field === 'string')

function toWords(name: string, text: unknown = ''): string[] {
  if (typeof text !== 'string') throw new BadRequest(`${name} must be a text`)
  return text.split(/\s+/).filter((word) => word !== '')
}

// PostgreSQL, MySQL and MariaDB escape by a backslash.
const toPattern = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`
