import type { FastifyInstance } from 'fastify'
import { stringify } from 'qs'
import { attempt, errorFromJSON, type ServiceError } from '../core/errors.js'
import { type AcceptedLogin, loginsInParams } from '../core/logins.js'
import { isPlain } from '../core/objects.js'
import { callersOf } from './callers.js'
import type { Channel } from './channel.js'
import { type ListConditions, routeField } from './matching.js'
import { askQuestion, type CallerIdentity, type Question } from './question.js'
import type { ListRequest } from './requests.js'

/** Which records a caller gets by a list. */
export interface Rule {
  /** What a record must have. `undefined`: only the service knows, and the id of no record is told. */
  readonly conditions: ListConditions | undefined
  /** The params of the `find` that was asked. */
  readonly params: Readonly<Record<string, unknown>>
  /** By what the caller is known again. */
  readonly callers: readonly string[]
  /** The login of the caller, where a guard has verified one. */
  readonly login: AcceptedLogin | undefined
  /** When the login ends, in ms since 1970. */
  readonly expires: number | undefined
  /** The conditions as a text: two rules that have the same are the same. `undefined` where they have none. */
  readonly text: string | undefined
}

/** What may be handed to a database adapter beside the query, and select what is found. */
const selecting =
  'adapter collation knex model Model mongodb mongoose pipeline sequelize objection prisma schema name filters operators modifierFiltersResults joinEager mergeAllowEager mergeAllowGraph'.split(
    ' '
  )

/**
 * Asks for the rule of a list: `find` is called at its URL under the credentials, and all that stands around it runs as for a page. The method itself is
 * not called; the query that would have reached it is the rule (docs/events.md#who-hears-what).
 *
 * @returns the rule, or the error with which the list was refused
 */
export async function askRule(
  app: FastifyInstance,
  channel: Channel,
  list: ListRequest,
  credentials: CallerIdentity,
  signal?: AbortSignal
): Promise<Rule | ServiceError> {
  const question: Question = { method: 'find', answer: channel.emptyAnswer, params: undefined, path: undefined }
  // The answer is an empty list: what keeps answers by their query keeps none that is wrong.
  const { $limit, $skip, ...rest } = list.query
  const query = { ...rest, $limit: 0 }
  const isByBody = list.isJSON && channel.takesQuery
  const url = `/${list.path}${isByBody ? '' : `?${stringify(query)}`}`
  const response = await askQuestion(app, question, { url, credentials, signal, body: isByBody ? query : undefined })
  if (response.statusCode >= 300)
    return errorFromJSON(
      response.statusCode >= 400 ? response.statusCode : 500,
      attempt(() => response.json())
    )
  return toRule(channel, credentials, question)
}

function toRule({ isRuleKnown, path, idField }: Channel, { headers }: CallerIdentity, question: Question): Rule {
  // What has answered in place of the service is not known.
  const params = question.path === path && question.params !== undefined ? question.params : {}
  const login = loginsInParams(params).at(-1)
  const { exp } = Object(Object(params.authentication).payload)
  const isIdShown = question.fields?.includes(idField) !== false
  const isKnown = question.path === path && isRuleKnown && isIdShown && !selecting.some((name) => name in params)
  const conditions = isKnown ? conditionsOf(params) : undefined
  return {
    conditions,
    params,
    callers: callersOf(params, headers),
    login,
    expires: typeof exp === 'number' ? exp * 1000 : undefined,
    text: attempt(() => JSON.stringify(conditions))
  }
}

/** What the query and the path of a `find` select, as it is now: hooks may change their objects later. */
function conditionsOf({ query, route }: Rule['params']): ListConditions | undefined {
  const { $limit, $skip, $sort, $select, ...conditions } = Object(query)
  const placeholders = Object.entries(Object(route)).map(([name, value]) => [routeField(name), String(value)])
  return attempt(() => copyQuery({ ...conditions, ...Object.fromEntries(placeholders) }) as ListConditions)
}

/** A copy of a query. Values of classes, such as dates and ids of MongoDB, do not change. */
function copyQuery(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyQuery)
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyQuery(item)]))
}
