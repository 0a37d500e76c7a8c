import type { FastifyInstance } from 'fastify'
import { stringify } from 'qs'
import { addingParameters } from '../core/description.js'
import { attempt, errorFromJSON, ServiceError } from '../core/errors.js'
import { type AcceptedLogin, loginsInParams } from '../core/logins.js'
import { ComparedValue, type ListConditions, prepareConditions, routeField } from '../core/matching.js'
import type { Probe } from '../core/request-state.js'
import type { CallerCredentials } from '../shared/caller-requests.js'
import { callerKeysOf } from './callers.js'
import type { ListRequest } from './list-request.js'
import { sendProbe } from './probe.js'
import type { Topic } from './topic.js'

/** A placeholder of a path whose value records hold in a field. If the field changes, they move. */
export interface ParentField {
  readonly placeholder: ListConditions
  readonly field: string
}

/** Which records a list has, and which its caller may see at all. */
export interface ListScope {
  /** The conditions for records of the list; `undefined` if only the service can tell. */
  readonly conditions: ListConditions | undefined
  /**
   * The conditions for records that are visible to the caller, whatever the query of the list;
   * `undefined` if not known.
   */
  readonly callerConditions: ListConditions | undefined
  readonly parents: readonly ParentField[]
  /** The params that `find` got. */
  readonly params: Readonly<Record<string, unknown>>
  /** The keys by which the caller is recognized. */
  readonly callers: readonly string[]
  /** The login that a guard has verified. */
  readonly login: AcceptedLogin | undefined
  /** When the login expires, in ms since 1970. */
  readonly expires: number | undefined
  /** The conditions and the fields that are sent, as JSON, to compare two scopes. */
  readonly text: string | undefined
}

/** Params by which adapters select records besides the query. */
const selectingParams =
  'adapter collation knex model Model mongodb mongoose pipeline sequelize objection prisma schema name filters operators modifierFiltersResults joinEager mergeAllowEager mergeAllowGraph'.split(
    ' '
  )

/**
 * Finds the records that are visible to a caller: it calls `find` at the URL of the list with the
 * caller's credentials, so that all guards and hooks run. The query that reaches the method
 * decides; the method itself does not run (docs/events.md#who-sees-which-changes).
 */
export class ScopeResolver {
  readonly #app: FastifyInstance
  readonly #credentials: CallerCredentials
  readonly #signal: AbortSignal | undefined
  /** The scopes of the lists without a query, by URL path. */
  readonly #callerScopes = new Map<string, Promise<ListScope | ServiceError>>()

  constructor(app: FastifyInstance, credentials: CallerCredentials, signal?: AbortSignal) {
    this.#app = app
    this.#credentials = credentials
    this.#signal = signal
  }

  /** @returns the scope, or the error with which `find` has refused the list */
  async resolve(topic: Topic, list: ListRequest): Promise<ListScope | ServiceError> {
    if (Object.keys(conditionsInQuery(list.query)).length === 0) {
      const scope = await this.#probeFind(topic, list)
      return scope instanceof ServiceError ? scope : withCallerScope(scope, scope)
    }
    const [scope, callerScope] = await Promise.all([this.#probeFind(topic, list), this.#callerScope(topic, list)])
    if (scope instanceof ServiceError) return scope
    // A service may refuse an empty query.
    return withCallerScope(scope, callerScope instanceof ServiceError ? undefined : callerScope)
  }

  #callerScope(topic: Topic, { path, isJSON }: ListRequest): Promise<ListScope | ServiceError> {
    const scope = this.#callerScopes.get(path) ?? this.#probeFind(topic, { path, name: path, isJSON, query: {} })
    this.#callerScopes.set(path, scope)
    return scope
  }

  async #probeFind(topic: Topic, list: ListRequest): Promise<ListScope | ServiceError> {
    const probe: Probe = { method: 'find', replaceMethod: topic.emptyResult, params: undefined, path: undefined }
    // With `$limit: 0` the empty result is right, so that a caching hook may store it.
    const { $limit, $skip, ...rest } = list.query
    const query = { ...rest, $limit: 0 }
    const isByBody = list.isJSON && topic.takesQuery
    const response = await sendProbe(this.#app, probe, {
      url: `/${list.path}${isByBody ? '' : `?${stringify(query)}`}`,
      credentials: this.#credentials,
      signal: this.#signal,
      body: isByBody ? query : undefined
    })
    if (response.statusCode < 300) {
      const scope = toListScope(topic, this.#credentials, probe)
      // What hooks add, such as rights, depends on more than the scope.
      return addsFields(topic, list) ? { ...scope, text: undefined } : scope
    }
    return errorFromJSON(
      response.statusCode >= 400 ? response.statusCode : 500,
      attempt(() => response.json())
    )
  }
}

const addsFields = ({ entry }: Topic, { query }: ListRequest): boolean =>
  addingParameters(entry, 'find').some((name) => Object.hasOwn(query, name))

/** Returns a query without `$limit`, `$skip`, `$sort` and `$select`. */
function conditionsInQuery(query: unknown): Record<string, unknown> {
  const { $limit, $skip, $sort, $select, ...conditions } = Object(query)
  return conditions
}

function toListScope({ sendsIds, path, idField }: Topic, { headers }: CallerCredentials, probe: Probe): ListScope {
  // Without params, or with those of another service, a hook has answered in place of this one.
  const hasReachedMethod = probe.path === path
  const params = (hasReachedMethod && probe.params) || {}
  const { exp } = Object(Object(params.authentication).payload)
  const isIdShown = probe.fields?.includes(idField) !== false
  const isKnown = hasReachedMethod && sendsIds && isIdShown && !selectingParams.some((name) => name in params)
  const conditions = isKnown ? conditionsOf(params) : undefined
  return {
    conditions,
    callerConditions: conditions,
    parents: parentsIn(conditions, params, probe),
    params,
    callers: callerKeysOf(params, headers),
    login: loginsInParams(params).at(-1),
    expires: typeof exp === 'number' ? exp * 1000 : undefined,
    text: conditions && attempt(() => JSON.stringify([conditions, probe.fields]))
  }
}

/**
 * Returns the placeholders that the conditions repeat for a field: the field that a hook has named,
 * or the one with the name of the placeholder.
 */
function parentsIn(
  conditions: ListConditions = {},
  { route }: ListScope['params'],
  { parentFields }: Probe
): ParentField[] {
  return Object.keys(Object(route)).flatMap((name) => {
    const field = parentFields?.[name] ?? name
    const placeholder = { [routeField(name)]: conditions[routeField(name)] }
    return conditions[field] instanceof ComparedValue ? [{ placeholder, field }] : []
  })
}

/**
 * Adds the caller's own scope. Placeholders that are bound to a field are no longer conditions of
 * their own. Only hooks can bind them, so they are read from the caller's scope.
 *
 * @param callerScope the scope of the list without a query; `undefined` if not known
 */
function withCallerScope(scope: ListScope, callerScope: ListScope | undefined): ListScope {
  const { parents = [], callerConditions } = callerScope ?? {}
  const boundNames = parents.flatMap(({ placeholder }) => Object.keys(placeholder))
  const withoutBound = (conditions: ListConditions | undefined) =>
    conditions && Object.fromEntries(Object.entries(conditions).filter(([name]) => !boundNames.includes(name)))
  return {
    ...scope,
    conditions: withoutBound(scope.conditions),
    callerConditions: withoutBound(callerConditions),
    parents
  }
}

/** Copies the conditions of a query and its path, since hooks may change these objects later. */
function conditionsOf({ query, route }: ListScope['params']): ListConditions | undefined {
  const placeholders = Object.entries(Object(route)).map(([name, value]) => [routeField(name), String(value)])
  const conditions = { ...conditionsInQuery(query), ...Object.fromEntries(placeholders) }
  return attempt(() => prepareConditions(conditions) as ListConditions)
}
