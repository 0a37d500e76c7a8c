import type { AroundHook, HookContext } from '../../types/hooks.js'
import { BadRequest } from './errors.js'
import { entriesWith, methodsWith, parametersOf } from './field-names.js'
import { aroundOnly, forbidAsHook, type HookPosition, withTraits } from './hooks.js'
import { toLikePattern } from './like-pattern.js'
import { isPlain } from './objects.js'
import { checkOptionNames, hintFor, inspect } from './options.js'
import { rulesAt } from './resource/registered-rules.js'

/** Options of `search()`. */
export interface SearchOptions {
  /**
   * The operator of the database adapter that compares with a pattern. Default: `'$ilike'`, which
   * PostgreSQL has. Other SQL databases have `'$like'`.
   */
  readonly operator?: `$${string}`
}

/**
 * Creates an around hook that turns parameters of a query into a text search: each word of the
 * parameter must be in one of the fields. It changes the query just before the method, so scopes
 * and roles apply as to other queries.
 *
 * @param parameters the fields that each parameter searches. All callers can find out their values
 * @returns a hook for `around`
 * @throws if the fields are no lists of names, or a parameter has the name of a field; when the
 * server starts, if it is no around hook, or the `resource()` of the service does not declare the
 * parameter or sends no such field
 * @throws {BadRequest} in a call, if a parameter is no text, or has more than 50 words
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
  const searched = searches.flatMap(([, fields]) => fields)
  for (const [name] of searches) if (searched.includes(name)) throw new TypeError(`search: ${isField(name)}`)
  checkOptionNames(options, ['operator'], 'search has')
  const { operator = '$ilike' } = options
  const hook: AroundHook<HookContext> = (context, next) => {
    const { $and = [], ...query } = context.params.query ?? {}
    const conditions = searches.flatMap(([name, fields]) => {
      const words = toWords(name, query[name])
      delete query[name]
      return words.map((word) => ({ $or: fields.map((field) => ({ [field]: { [operator]: toLikePattern(word) } })) }))
    })
    const all = [$and, conditions].flat()
    context.params = { ...context.params, query: all.length > 0 ? { ...query, $and: all } : query }
    return next()
  }
  const checkType = aroundOnly('search')
  const check = (position: HookPosition) => {
    checkType(position)
    for (const [name, fields] of searches) {
      checkSearchParameters(name, hook, position)
      checkFields(name, fields, position)
    }
  }
  return withTraits(hook, { isInnermost: true, check })
}

forbidAsHook(search, "search({ q: ['title'] })")

const isNames = (fields: unknown) =>
  Array.isArray(fields) && fields.length > 0 && fields.every((field) => typeof field === 'string')

// A scope sets the condition on its field where the parameter would be.
const isField = (name: string) =>
  `the parameter '${name}' has the name of a field. Give it another one, so that it replaces no condition on the field`

/**
 * Checks the fields of a parameter, if the resource of the service has declared it.
 * @throws if it is a field itself, or the resource does not send one of its fields
 */
function checkFields(name: string, fields: readonly string[], position: HookPosition): void {
  const { select = [], more } = rulesAt(position, 'find')?.query ?? {}
  if (more?.operands.has(name) !== true) return
  const where = `search at '${position.path}'`
  if (select.includes(name)) throw new Error(`${where}: ${isField(name)}`)
  // The schema does not have the columns of other tables: `users.name`.
  const unknown = fields.find((field) => !select.includes(field) && !field.includes('.'))
  if (unknown === undefined) return
  const hint = hintFor(unknown, select) || '.'
  throw new Error(`${where}: '${name}' searches '${unknown}', which is no field of the records that clients get${hint}`)
}

/**
 * Checks that clients can send a parameter. Services may share the hook, so any of them may have it.
 * @throws if no query of a resource has it there
 */
function checkSearchParameters(name: string, hook: unknown, position: HookPosition): void {
  const parameters = entriesWith(hook, position).flatMap((entry) =>
    methodsWith(hook, entry).map((method) => parametersOf(entry, method))
  )
  if (parameters.some((names) => names === undefined || names.includes(name))) return
  const declared = parameters.flatMap((names) => names ?? [])
  throw new Error(
    `search at '${position.path}': no query there has the parameter '${name}', declare it in the option \`query\` of resource()${hintFor(name, declared)}`
  )
}

/** Each word is a condition on each field. */
const maxWords = 50

function toWords(name: string, text: unknown = ''): string[] {
  if (typeof text !== 'string') throw new BadRequest(`${name} must be a text`)
  const words = text.trim().split(/\s+/, maxWords + 1)
  if (words.length > maxWords) throw new BadRequest(`${name} can have at most ${maxWords} words`)
  return words.filter((word) => word !== '')
}
