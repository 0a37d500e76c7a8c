import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AroundHook, HookContext } from '../../types/fastify.js'
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
import { pluginState } from '../core/host.js'
import { callerIn } from '../core/http-call.js'
import { loginsInParams } from '../core/logins.js'
import { methods } from '../core/methods.js'
import { isObject, isPlain } from '../core/objects.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { metaOf } from '../core/service-meta.js'
import { memoryStore, renewKey, type Store, storeKind } from '../core/store.js'
import { type CommitEnd, commitOf, hasLostCommit } from '../database/commit.js'
import { IdempotencyKey, type StoredAnswer, stillRuns } from './idempotency-key.js'

export interface IdempotencyOptions {
  /**
   * Where answers are kept. Several processes must share one, with `add`. With `postgresStore(pool,
   * { sameDatabase: true })` they are kept in the transaction of the call. Default: `memoryStore({
   * max: 10_000, maxBytes: 32_000_000 })`.
   */
  store?: Store
  /** How long an answer is kept, in seconds. Default 86,400: a day. */
  seconds?: number
  /**
   * For how long the key of a call is refused where its process has died, in seconds: a process
   * that lives renews it until the call has ended. Default 300.
   */
  lock?: number
  /**
   * The largest answer that is kept, in bytes of JSON. The call of a larger one is not repeated
   * either: 409. Default 16,384.
   */
  maxBytes?: number
  /** Whether requests need the header: 400 without it. Default `false`. */
  required?: boolean
  /**
   * Tells callers apart, since each has keys of its own: an id, or a promise of one. Default: what
   * the login says, or the `id` or `_id` of a `params.user` that comes from elsewhere. Callers
   * without an id, who are not logged in, share their keys.
   */
  user?: (params: Params) => unknown
}

const ofIdempotency: OptionTable<IdempotencyOptions> = {
  ...{ store: storeKind, seconds: kinds.positive, lock: kinds.positive, maxBytes: kinds.positive },
  ...{ required: kinds.flag, user: kinds.function }
}

/**
 * An around hook that carries out a `create` or a custom method once, however often a client sends
 * it with the same `Idempotency-Key` (docs/writes.md#retries): a repeated request gets the first
 * answer again, with `Idempotency-Replayed: true`, no event, and nothing of the hooks within this
 * one. What has failed may be sent again. Each user has keys of their own. Calls of the server, of
 * `find`, `get`, `update`, `patch` and `remove`, and of mounted services pass.
 *
 * @returns a hook for `around`, of one service or of all. It throws Conflict (409) while the first
 * request runs, or where its answer was not kept, Unprocessable (422) where the key came with
 * another request, BadRequest for a key that is empty or has more than 255 characters, a body that
 * is no JSON, or none where one is required
 * @throws when an option is not known, or of another type; when the server starts, if it is no
 * around hook, or a guard, `scope` or `allow` stands within it, which a repeated request would pass
 * by
 * @example
 * app.service('orders', orders, { hooks: { around: { create: [idempotency({ store })] } } })
 */
export function idempotency(options: IdempotencyOptions = {}): AroundHook {
  checkOptions('idempotency()', ofIdempotency, options)
  const {
    store = memoryStore({ max: 10_000, maxBytes: 32_000_000 }),
    seconds = 86_400,
    lock = 300,
    maxBytes = 16_384
  } = options
  const { required = false, user = userIn } = options
  // A store without `add` can't tell which of two requests was first, but this process can.
  const running = new Set<string>()

  const hook: AroundHook = async (context, next) => {
    if (!isRepeatable(context)) return next()
    const { path, method, params } = context
    const key = keyIn(context)
    if (key === undefined) {
      if (required) throw new BadRequest(`'${method}' of '${path}' needs the header Idempotency-Key`)
      return next()
    }
    const name = `idempotency:${digest([path, method, toIdentity(await user(params), context), key])}`
    const request = requestDigest(context)
    if (running.has(name)) throw stillRuns(context)
    running.add(name)
    let ending: Promise<unknown> | undefined
    try {
      const storedKey = new IdempotencyKey(store, name, request, lock)
      const entry = await storedKey.claim(context)
      if (entry !== undefined) return replay(context, entry)
      const endRenewal = renewKey(store, name, storedKey.claimed, lock)
      const end = async (isDone: CommitEnd, answer?: StoredAnswer | null) => {
        await endRenewal()
        if (isDone === false) return storedKey.giveFree()
        // The key says what was done, or nobody knows, and a repeated request is 409 until the lock
        // ends.
        if (isDone === undefined) return
        try {
          await storedKey.keep(answer, seconds)
        } catch (err) {
          // The call is done. This process has the answer until the store does: in others a
          // repeated request is 409 until then, or until the lock ends.
          context.app.log.error(
            { err },
            `The answer of '${method}' of '${path}' could not be kept for its Idempotency-Key`
          )
        }
      }
      // From its beginning on, the transaction tells whether PostgreSQL will roll it back.
      const commit = commitOf(context.params)
      try {
        await next()
      } catch (error) {
        const { abandoned } = callStateOf(context)
        const isDone = hasLostCommit(error, params) ? undefined : false
        // A hook has given up the call, which still runs: the key stays taken until that has ended.
        if (abandoned === undefined) await end(isDone)
        else ending = abandoned.then(async (hasSucceeded) => end(hasSucceeded ? await (commit ?? true) : isDone, null))
        throw error
      }
      const answer = answerOf(context, maxBytes)
      const outcome = commitOf(context.params)
      if (outcome === undefined) return await end(true, answer)
      await endRenewal()
      const isKept = await storedKey
        .keepWithin(context.params.transaction as object, answer, seconds)
        .catch(async (error) => {
          await end(false)
          throw error
        })
      // A transaction around this hook waits for it, so that its end can't be awaited here. What it
      // rolls back was not done.
      ending = outcome.then((isCommitted) => end(isKept && isCommitted ? undefined : isCommitted, answer))
    } finally {
      if (ending === undefined) running.delete(name)
      else ending.finally(() => running.delete(name))
    }
  }
  const check = ({ path, type, within }: HookPosition) => {
    if (type !== 'around') throw new Error(`idempotency at '${path}' is a hook for 'around', not for '${type}'`)
    for (const [name, hooks] of (within as NonNullable<typeof within>)())
      if (isRepeatableMethod(name, '') && hooks.some((other) => decides(other, name)))
        throw new Error(
          `idempotency stands around the guard or the permissions of '${name}' at '${path}', which a repeated request would pass by: put it behind them`
        )
  }
  const openapi = ({ method, verb }: DescribedOperation): OperationDocs | undefined =>
    isRepeatableMethod(method, verb) ? { request: { ...header, required }, statuses: ['409', '422'] } : undefined
  return withTraits(hook, { check, openapi })
}

forbidAsHook(idempotency, 'idempotency()')

const header = {
  name: 'Idempotency-Key',
  description:
    'A text that is new for each call, such as a UUID: the call is carried out once, however often it is sent.'
}

/** Whether a hook says who may call a method, or for which records. */
function decides(hook: unknown, method: string): boolean {
  const { security, describeAccess } = traitsOf(hook)
  return security !== undefined || describeAccess?.(method) !== undefined
}

/** What HTTP itself does not allow to send twice. */
const isRepeatableMethod = (method: string, verb: string): boolean =>
  method === 'create' || (!methods.has(method) && !['GET', 'HEAD', 'QUERY'].includes(verb))

/**
 * Whether a call is that of a request, to a method that is not safe to repeat. Answers to logins
 * are no matter of a store, and the guards of a mounted service stand within all hooks.
 */
function isRepeatable(context: HookContext): boolean {
  const caller = callerIn(context.params)
  const { object = context.service } = metaOf(context.service)
  if (caller?.context !== context || metaOf(object).foreign !== undefined) return false
  const isLogin = pluginState(context.app).authentications?.some(({ service }) => service === context.service)
  return isLogin !== true && isRepeatableMethod(context.method, (caller.request as FastifyRequest).method)
}

/** @throws {BadRequest} for a key that is too long, or empty: whoever sends it relies on it */
function keyIn({ params }: HookContext): string | undefined {
  const header: unknown = params.headers?.['idempotency-key']
  if (header === undefined) return undefined
  const sent = [header].flat().join(',').trim()
  const key = sent.replace(/^"(.*)"$/, '$1')
  if (key === '' || key.length > 255) throw new BadRequest('An Idempotency-Key has 1 to 255 characters')
  return key
}

/**
 * What tells callers apart; `undefined` for those who are not logged in. `null` where they are, and
 * nothing does.
 */
function userIn(params: Params): unknown {
  const login = loginsInParams(params).at(-1)
  if (login !== undefined) return login.identity ?? null
  const { user, authenticated } = params
  const { id, _id } = Object(user)
  return id ?? _id ?? (Object(user) === user || authenticated === true ? null : undefined)
}

/**
 * @throws {GeneralError} for what is the same for several callers, who would get the answers of
 * each other
 */
function toIdentity(user: unknown, { path }: HookContext): unknown {
  // The id of a database may be an object.
  const identity = isObject(user) && !Array.isArray(user) ? String(user) : user
  if (identity !== null && identity !== String({})) return identity
  throw new GeneralError(
    `idempotency at '${path}' can't tell this caller from others: its option \`user\` must give an id, as in (params) => params.user.id`
  )
}

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts, inOneWay)).digest('base64url')

/**
 * The digest of what a call asks for.
 * @throws {BadRequest} for data that is nested deeper than it can be read
 */
function requestDigest(context: HookContext): string {
  const { id, params } = context
  try {
    return digest([id, params.route, params.query, comparable(context)])
  } catch (error) {
    throw error instanceof RangeError
      ? new BadRequest('The data is nested too deep', undefined, { cause: error })
      : error
  }
}

/**
 * Writes what means the same in one way: a client may send the fields of a record in another order
 * when it repeats a request.
 */
function inOneWay(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
}

/**
 * The data of a call, by which a repeated request is known.
 * @throws {BadRequest} for what JSON does not tell apart, such as files
 */
function comparable({ data, path, method }: HookContext): unknown {
  const isJSON = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return true
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return true
    return (Array.isArray(value) || isPlain(value)) && Object.values(value).every(isJSON)
  }
  if (!isJSON(data)) throw new BadRequest(`'${method}' of '${path}' takes an Idempotency-Key with a body of JSON alone`)
  return data
}

/**
 * What a call answers, `null` where that is no JSON, or too much of it. Fields that never leave the
 * server are not kept.
 */
function answerOf({ result, dispatch, http = {}, service }: HookContext, maxBytes: number): StoredAnswer | null {
  const value = dispatch === undefined ? result : dispatch
  if (streamOf(value) || value instanceof Response || value instanceof Blob || ArrayBuffer.isView(value)) return null
  const { secrets } = metaOf(service)
  const text = attempt(() =>
    JSON.stringify({ result: value ?? null, http }, (name, part) => (secrets?.has(name) ? undefined : part))
  )
  return text === undefined || Buffer.byteLength(text) > maxBytes ? null : JSON.parse(text)
}

function replay(context: HookContext, { result, http }: StoredAnswer): void {
  context.result = result
  context.event = null
  context.http = { ...http, headers: { ...http.headers, 'Idempotency-Replayed': 'true' } }
}
