import type { FastifyInstance } from 'fastify'
import { stringify } from 'qs'
import { attempt, errorFromJSON, ServiceError } from '../core/errors.js'
import { type AcceptedLogin, loginsInParams } from '../core/logins.js'
import type { ParentPlace } from './audience.js'
import { callersOf } from './callers.js'
import type { Channel } from './channel.js'
import { ComparedValue, type ListConditions, prepareConditions, routeField } from './matching.js'
import { askQuestion, type CallerIdentity, type Question } from './question.js'
import type { ListRequest } from './requests.js'

/** Which records a caller gets by a list. */
export interface Rule {
  /**
   * What a record must have. `undefined`: only the service knows, and the id of no record is told.
   */
  readonly conditions: ListConditions | undefined
  /**
   * What a record must have that the caller gets by any list of the service: what hooks ask for.
   * `undefined` where that is not known.
   */
  readonly visibility: ListConditions | undefined
  /**
   * The placeholders of the path of which hooks have made conditions on fields: a record may move.
   */
  readonly parents: readonly ParentPlace[]
  /** The params of the `find` that was asked. */
  readonly params: Readonly<Record<string, unknown>>
  /** By what the caller is known again. */
  readonly callers: readonly string[]
  /** The login of the caller, where a guard has verified one. */
  readonly login: AcceptedLogin | undefined
  /** When the login ends, in ms since 1970. */
  readonly expires: number | undefined
  /**
   * The conditions as a text: two rules that have the same are the same. `undefined` where they
   * have none.
   */
  readonly text: string | undefined
}

/** What may be handed to a database adapter beside the query, and select what is found. */
const selecting =
  'adapter collation knex model Model mongodb mongoose pipeline sequelize objection prisma schema name filters operators modifierFiltersResults joinEager mergeAllowEager mergeAllowGraph'.split(
    ' '
  )

/**
 * Asks for the rules of the lists of a caller: `find` is called at the URL of each under the
 * credentials, and all that stands around it runs as for a page. The method itself is not called;
 * the query that would have reached it is the rule (docs/events.md#who-hears-what). Once for each
 * URL, it is called without what the caller asks for: that says which records the caller sees at
 * all.
 */
export class RuleInquiry {
  readonly #app: FastifyInstance
  readonly #credentials: CallerIdentity
  readonly #signal: AbortSignal | undefined
  readonly #wholeLists = new Map<string, Promise<Rule | ServiceError>>()

  constructor(app: FastifyInstance, credentials: CallerIdentity, signal?: AbortSignal) {
    this.#app = app
    this.#credentials = credentials
    this.#signal = signal
  }

  /** @returns the rule, or the error with which the list was refused */
  async ask(channel: Channel, list: ListRequest): Promise<Rule | ServiceError> {
    if (Object.keys(withoutPaging(list.query)).length === 0) {
      const outcome = await this.#find(channel, list)
      return outcome instanceof ServiceError ? outcome : withParents(outcome, outcome)
    }
    const [outcome, whole] = await Promise.all([this.#find(channel, list), this.#askWhole(channel, list)])
    if (outcome instanceof ServiceError) return outcome
    // A list that needs a query refuses an empty one.
    return withParents(outcome, whole instanceof ServiceError ? undefined : whole)
  }

  #askWhole(channel: Channel, { path, isJSON }: ListRequest): Promise<Rule | ServiceError> {
    const whole = this.#wholeLists.get(path) ?? this.#find(channel, { path, name: path, isJSON, query: {} })
    this.#wholeLists.set(path, whole)
    return whole
  }

  async #find(channel: Channel, list: ListRequest): Promise<Rule | ServiceError> {
    const question: Question = { method: 'find', answer: channel.emptyAnswer, params: undefined, path: undefined }
    // The answer is an empty list: what keeps answers by their query keeps none that is wrong.
    const { $limit, $skip, ...rest } = list.query
    const query = { ...rest, $limit: 0 }
    const isByBody = list.isJSON && channel.takesQuery
    const response = await askQuestion(this.#app, question, {
      url: `/${list.path}${isByBody ? '' : `?${stringify(query)}`}`,
      credentials: this.#credentials,
      signal: this.#signal,
      body: isByBody ? query : undefined
    })
    if (response.statusCode < 300) return toRule(channel, this.#credentials, question)
    return errorFromJSON(
      response.statusCode >= 400 ? response.statusCode : 500,
      attempt(() => response.json())
    )
  }
}

/** What a query selects. */
function withoutPaging(query: unknown): Record<string, unknown> {
  const { $limit, $skip, $sort, $select, ...conditions } = Object(query)
  return conditions
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
    visibility: conditions,
    parents: parentsIn(conditions, params, question),
    params,
    callers: callersOf(params, headers),
    login,
    expires: typeof exp === 'number' ? exp * 1000 : undefined,
    text: attempt(() => JSON.stringify(conditions))
  }
}

/**
 * The placeholders to which a field of the same name, or one that a hook has named, holds a record.
 */
function parentsIn(
  conditions: ListConditions = {},
  { route }: Rule['params'],
  { parentFields }: Question
): ParentPlace[] {
  return Object.keys(Object(route)).flatMap((name) => {
    const field = parentFields?.[name] ?? name
    const place = { [routeField(name)]: conditions[routeField(name)] }
    return conditions[field] instanceof ComparedValue ? [{ place, field }] : []
  })
}

/**
 * Leaves placeholders to the fields that hold a record to them.
 * @param whole the rule without what the client asks for: only hooks decide which fields these are.
 * `undefined` where it is not known
 */
function withParents(rule: Rule, whole: Rule | undefined): Rule {
  const { parents = [], visibility } = whole ?? {}
  const names = parents.flatMap(({ place }) => Object.keys(place))
  const leave = (conditions: ListConditions | undefined) =>
    conditions && Object.fromEntries(Object.entries(conditions).filter(([name]) => !names.includes(name)))
  return { ...rule, conditions: leave(rule.conditions), visibility: leave(visibility), parents }
}

/**
 * What the query and the path of a `find` select, as it is now: hooks may change their objects
 * later.
 */
function conditionsOf({ query, route }: Rule['params']): ListConditions | undefined {
  const placeholders = Object.entries(Object(route)).map(([name, value]) => [routeField(name), String(value)])
  const conditions = { ...withoutPaging(query), ...Object.fromEntries(placeholders) }
  return attempt(() => prepareConditions(conditions) as ListConditions)
}
