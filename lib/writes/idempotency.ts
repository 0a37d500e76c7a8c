import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AroundHook, HookContext } from '../../types/fastify.js'
import type { NextFunction } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { callStateOf } from '../core/call-state.js'
import { streamOf } from '../core/content.js'
import { attempt, BadRequest, GeneralError } from '../core/errors.js'
import {
  type DescribedOperation,
  forbidAsHook,
  type HookPosition,
  type OperationDocs,
  traitsOf,
  withTraits
} from '../core/hooks.js'
import { callerIn, readVerbs } from '../core/http-call.js'
import { loginsInParams } from '../core/logins.js'
import { methods } from '../core/methods.js'
import { isObject, isPlain } from '../core/objects.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { rulesAt } from '../core/resource/registered-rules.js'
import { implementationOf, isForLogins, metaOf } from '../core/service-meta.js'
import { toStableJSON } from '../core/stable-json.js'
import { memoryStore, type Store, sharedStoreKind } from '../core/store.js'
import { commitOf, hasLostCommit } from '../database/commit.js'
import { IdempotencyKey, type IdempotencyKeys, type StoredAnswer } from './idempotency-key.js'

/** Options of `idempotency()`. */
export interface IdempotencyOptions {
  /**
   * Where answers are kept. It needs `add`, and several processes must share it. With
   * `postgresStore(pool, { sameDatabase: true })` they are kept in the transaction of the call.
   * Default: `memoryStore({ max: 10_000, maxBytes: 32_000_000 })`.
   */
  store?: Store
  /** How long an answer is kept, in seconds. Default 86,400: a day. */
  seconds?: number
  /**
   * How long the key of a call stays locked after its process has died, in seconds. A running
   * process renews the lock until the call has ended. Default 300.
   */
  lock?: number
  /**
   * The largest answer that is kept, in bytes of JSON. A call with a larger answer is not repeated
   * either: 409. Default 16,384.
   */
  maxBytes?: number
  /** Whether requests need the header: 400 without it. Default `false`. */
  required?: boolean
  /**
   * Returns the id of the caller, or a promise of it, since each caller has keys of its own.
   * Default: the id of the login, or the `id` or `_id` of a `params.user` that comes from
   * elsewhere. Callers without an id, who are not logged in, share their keys.
   */
  user?: (params: Params) => unknown
}

const idempotencyOptions: OptionTable<IdempotencyOptions> = {
  ...{ store: sharedStoreKind, seconds: kinds.positive, lock: kinds.positive, maxBytes: kinds.positive },
  ...{ required: kinds.flag, user: kinds.function }
}

/**
 * Creates an around hook that carries out a write once, however often a client sends it with the
 * same `Idempotency-Key` (docs/writes.md#retries). A repeated request gets the first answer again,
 * with `Idempotency-Replayed: true`, without an event and without the hooks inside this one. A call
 * that has failed may be sent again. Each user has their own keys. Methods without the hook refuse
 * a key with 400.
 *
 * @returns a hook for `around`, of one service or of all. It throws Conflict (409) while the first
 * request runs or if its answer was not kept, Unprocessable (422) if another request had the key,
 * and BadRequest if the key is invalid or a required one is missing, or the body is not JSON
 * @throws if an option is unknown or has the wrong type; when the server starts, if it is no around
 * hook, or a guard, `scope` or `allow` is inside it, which a repeated request would bypass
 * @example
 * app.service('orders', orders, { hooks: { around: { all: [idempotency({ store })] } } })
 */
export function idempotency(options: IdempotencyOptions = {}): AroundHook {
  checkOptions('idempotency()', idempotencyOptions, options)
  const { store = memoryStore({ max: 10_000, maxBytes: 32_000_000 }), seconds = 86_400, lock = 300 } = options
  const { maxBytes = 16_384, required = false, user = userIn } = options
  const keys: IdempotencyKeys = { store, lock, seconds, retried: new Map() }

  const hook: AroundHook = async (context, next) => {
    const { path, method, params } = context
    const caller = callerIn(params)
    const isRequest = caller?.context === context
    if (!isRequest || !takesKeys(context, method, (caller.request as FastifyRequest).method)) return next()
    const header = headerIn(context)
    if (header === undefined) {
      if (needsKey(context, method)) throw new BadRequest(`'${method}' of '${path}' needs the header Idempotency-Key`)
      return next()
    }
    const name = `idempotency:${digest([path, method, toIdentity(await user(params), context), header])}`
    await runOnce(context, new IdempotencyKey(context, keys, name, requestDigest(context, header)), maxBytes, next)
  }
  const needsKey = (position: HookPosition, method: string) => {
    const declared = declaredAt(position, method)
    return declared === 'required' || (required && declared === undefined)
  }
  const openapi = ({ method, verb }: DescribedOperation, position: HookPosition): OperationDocs | undefined =>
    takesKeys(position, method, verb)
      ? { request: { ...headerNote, required: needsKey(position, method) }, statuses: ['409', '422'] }
      : undefined
  return withTraits(hook, { check: checkPosition, openapi, takesKeys })
}

forbidAsHook(idempotency, 'idempotency()')

/** Returns what the resource declares for a method. */
const declaredAt = (position: HookPosition, method: string) => rulesAt(position, method)?.custom?.idempotency

/**
 * Returns whether calls of a method may have a key. Answers to logins must not be stored, and the
 * guards of a mounted service run inside all hooks.
 */
function takesKeys(position: HookPosition, method: string, verb: string): boolean {
  const { service } = position as HookContext
  const object = implementationOf(service)
  if (readVerbs.has(verb) || metaOf(object).mounted !== undefined || isForLogins(service)) return false
  return declaredAt(position, method) !== false
}

/** Runs a call, or replays the answer that is kept for its key. */
async function runOnce(context: HookContext, key: IdempotencyKey, maxBytes: number, next: NextFunction): Promise<void> {
  const stored = await key.claim()
  if (stored !== undefined) return replay(context, stored)
  const { params } = context
  // Ask early: a transaction of PostgreSQL has to be watched from its beginning.
  const commit = commitOf(params)
  try {
    await next()
  } catch (error) {
    const { abandoned } = callStateOf(context)
    const isDone = hasLostCommit(error, params) ? undefined : false
    // A hook has given up the call, which still runs: the key stays locked until it has ended.
    if (abandoned === undefined) await key.end(isDone)
    else void abandoned.then(async (hasSucceeded) => key.end(hasSucceeded ? await (commit ?? true) : isDone, null))
    throw error
  }
  const answer = answerOf(context, maxBytes)
  const committed = commitOf(context.params)
  if (committed === undefined) return key.end(true, answer)
  const isKept = await key.keepWithin(context.params.transaction as object, answer)
  // A transaction around this hook waits for it, so its end can't be awaited here.
  void committed.then((isCommitted) => key.end(isKept && isCommitted ? undefined : isCommitted, answer))
}

function checkPosition(position: HookPosition): void {
  const { path, type, within } = position
  if (type !== 'around') throw new Error(`idempotency at '${path}' is a hook for 'around', not for '${type}'`)
  for (const [name, hooks] of (within as NonNullable<typeof within>)())
    if (!readVerbs.has(methods.get(name)?.verb) && hooks.some((hook) => restrictsCallers(hook, position, name)))
      throw new Error(
        `idempotency stands around the guard or the permissions of '${name}' at '${path}', which a repeated request would pass by: put it behind them`
      )
}

const headerNote = {
  name: 'Idempotency-Key',
  description:
    'A text that is new for each call, such as a UUID: the call is carried out once, however often it is sent.'
}

/** Returns whether a hook restricts who may call a method, or for which records. */
function restrictsCallers(hook: unknown, position: HookPosition, method: string): boolean {
  const { security, describeAccess } = traitsOf(hook)
  return security !== undefined || describeAccess?.(position, method) !== undefined
}

/** @throws {BadRequest} if the key is too long or empty: its sender relies on it */
function headerIn({ params }: HookContext): string | undefined {
  const header: unknown = params.headers?.['idempotency-key']
  if (header === undefined) return undefined
  const sent = [header].flat().join(',').trim()
  const key = sent.replace(/^"(.*)"$/, '$1')
  if (key === '' || key.length > 255) throw new BadRequest('An Idempotency-Key has 1 to 255 characters')
  return key
}

/**
 * Returns the id of the caller, `undefined` if not logged in, `null` if logged in without an id.
 */
function userIn(params: Params): unknown {
  const login = loginsInParams(params).at(-1)
  if (login !== undefined) return login.identity ?? null
  const { user, authenticated } = params
  const { id, _id } = Object(user)
  return id ?? _id ?? (Object(user) === user || authenticated === true ? null : undefined)
}

/** @throws {GeneralError} if several callers have this id, who would get each other's answers */
function toIdentity(user: unknown, { path }: HookContext): unknown {
  // An id of a database may be an object.
  const identity = isObject(user) && !Array.isArray(user) ? String(user) : user
  if (identity !== null && identity !== String({})) return identity
  throw new GeneralError(
    `idempotency at '${path}' can't tell this caller from others: its option \`user\` must give an id, as in (params) => params.user.id`
  )
}

// A client may send fields in another order when it repeats a request.
const digest = (values: readonly unknown[]): string =>
  createHash('sha256').update(toStableJSON(values)).digest('base64url')

/**
 * The digest of a request, with its key: without the key, nobody can guess the data from it.
 * @throws {BadRequest} if the data is nested too deep
 */
function requestDigest(context: HookContext, key: string): string {
  const { id, params } = context
  const { 'if-match': match, 'if-none-match': noneMatch } = Object(params.headers)
  try {
    return digest([key, id, params.route, params.query, match, noneMatch, dataOf(context)])
  } catch (error) {
    throw error instanceof RangeError
      ? new BadRequest('The data is nested too deep', undefined, { cause: error })
      : error
  }
}

/** @throws {BadRequest} if the data is not JSON, such as files: requests can't be compared then */
function dataOf({ data, path, method }: HookContext): unknown {
  const isJSON = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return true
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return true
    return (Array.isArray(value) || isPlain(value)) && Object.values(value).every(isJSON)
  }
  if (!isJSON(data)) throw new BadRequest(`'${method}' of '${path}' takes an Idempotency-Key with a body of JSON alone`)
  return data
}

/** Returns the answer without hidden fields, `null` if it is not JSON or is too large. */
function answerOf({ result, dispatch, http = {}, service }: HookContext, maxBytes: number): StoredAnswer | null {
  const value = dispatch === undefined ? result : dispatch
  if (streamOf(value) || value instanceof Response || value instanceof Blob || ArrayBuffer.isView(value)) return null
  const { secrets } = metaOf(service)
  const text = attempt(() =>
    JSON.stringify({ result: value ?? null, http }, (name, value) => (secrets?.has(name) ? undefined : value))
  )
  return text === undefined || Buffer.byteLength(text) > maxBytes ? null : JSON.parse(text)
}

function replay(context: HookContext, { result, http }: StoredAnswer): void {
  context.result = result
  context.event = null
  context.http = { ...http, headers: { ...http.headers, 'Idempotency-Replayed': 'true' } }
}
