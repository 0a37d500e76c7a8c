import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { AroundHook, HookContext } from '../../types/fastify.js'
import { idFieldOf, isAdapter } from '../core/description.js'
import { BadRequest, GeneralError, ServiceError, toServiceError } from '../core/errors.js'
import { aroundOnly, type DescribedOperation, forbidAsHook, type OperationDocs, withTraits } from '../core/hooks.js'
import { pluginState } from '../core/host.js'
import { type Caller, callerIn } from '../core/http-call.js'
import { isKnexAdapter, type KnexAdapter } from '../core/knex.js'
import { methods } from '../core/methods.js'
import { checkFieldName, checkOptions, kinds, type OptionTable } from '../core/options.js'
import { metaOf } from '../core/service-meta.js'
import { conditionalParams } from './knex-condition.js'
import { runAlone } from './turns.js'
import { isVersion, parseTags, readTags, Tags, toTag, type Version } from './version-tags.js'

export interface VersionOptions {
  /**
   * Whether `update`, `patch` and `remove` of a record over HTTP need `If-Match`: 428 without it.
   * Default `false`.
   */
  required?: boolean
  /**
   * Gives the version of a record that is created or changed. Default: the database changes the
   * field, or a hook.
   */
  set?: () => Version
}

const ofVersion: OptionTable<VersionOptions> = { required: kinds.flag, set: kinds.function }

/**
 * An around hook that lets callers change a record only as they know it
 * (docs/writes.md#conditional-writes). Answers of one record have its version as `ETag`; `update`,
 * `patch` and `remove` with `If-Match` change the record of that version and no other. Calls of the
 * server have `params.ifMatch`: a version, or a record. With `@feathersjs/knex` it is a condition
 * of the statement. Records of other adapters are compared while no other write of this process
 * runs on them, those of other services just before the method, which has the version in
 * `params.ifMatch` for a statement of its own.
 *
 * @param field the field that holds the version: a number, a text or a date that changes with each
 * write
 * @returns a hook for `around`, of one service or of all. It throws `PreconditionFailed` (412)
 * where the record has another version, `PreconditionRequired` (428) where the call needs to name
 * one, BadRequest for a version of many records, GeneralError if a write has left the version as it
 * was
 * @throws when no field is named, or an option is not known or of another type; when the server
 * starts, if it is no around hook
 * @example
 * app.service('notes', notes, { hooks: { around: { all: [version('updatedAt', { set: () => new Date() })] } } })
 */
export function version(field: string, options: VersionOptions = {}): AroundHook {
  checkFieldName('version', field, 'updatedAt')
  checkOptions('version()', ofVersion, options)
  const { required = false, set } = options
  const warned = new Set<string>()

  const hook: AroundHook = async (context, next) => {
    const { method, path, service } = context
    // Credentials are no records.
    if (pluginState(context.app).authentications?.some((login) => login.service === service)) return next()
    const isMethod = !methods.has(method)
    const call = new ConditionalCall(context, field)
    const { tags, isRequest } = call
    if (required && call.isNeeded && call.noneMatch?.isAny !== true)
      throw new ServiceError(
        `'${method}' of '${path}' needs the header If-Match with the ETag of the record`,
        'PreconditionRequired',
        428
      )
    if (tags !== undefined && context.id === null)
      throw new BadRequest(`'${method}' of '${path}' takes If-Match for one record`)
    if (call.noneMatch !== undefined && context.id === null)
      throw new BadRequest(`'${method}' of '${path}' takes If-None-Match for one record`)
    if (set !== undefined && methods.has(method)) setVersion(context, field, () => newVersion(set, tags))
    call.begin()
    const before = await runIf(call, context, field, next)
    const versionAfter = versionIn(context, field)
    call.end(versionAfter)
    if (before !== undefined && !isMethod && answersVersion.has(method)) await requireNewVersion(before, context, field)
    if (versionAfter === undefined || !(isMethod || answersVersion.has(method))) return
    // What a custom method answers need not be the record as it is now.
    if (isRequest && !isMethod) setETag(context, versionAfter)
    if (!isMethod || tags?.includes(versionAfter) !== true || tags.isAny) return
    const name = `'${method}' of '${path}'`
    if (warned.has(name)) return
    warned.add(name)
    const { log } = context.app
    log.warn(`${name} left '${field}' as it was: version('${field}') needs it to change with each write`)
  }
  const openapi = ({ method, verb, hasId }: DescribedOperation): OperationDocs => {
    const isRequired = required && writes.has(method)
    const takesTag = hasId && (writes.has(method) || (!methods.has(method) && verb !== 'GET'))
    return {
      ...(answersVersion.has(method) && { response: etagNote }),
      ...(takesTag && { request: { ...ifMatchNote, required: isRequired } }),
      ...(takesTag && { statuses: ['412', ...(isRequired ? ['428'] : [])] })
    }
  }
  return withTraits(hook, { isInnermost: true, check: aroundOnly('version'), openapi })
}

forbidAsHook(version, "version('updatedAt')")

/** The methods that answer one record as it is now. */
const answersVersion = new Set(['get', 'create', 'update', 'patch'])
/** The methods that change a record that is there. */
const writes = new Set(['update', 'patch', 'remove'])

const etagNote = { name: 'ETag', description: 'The version of the record, for `If-Match`. A list has none.' }
const ifMatchNote = {
  name: 'If-Match',
  description: 'The ETag of the record as it was read: it is changed only if it is still the same.'
}

/**
 * What requests still expect of their records, by their callers: hooks may write a record before
 * the method does.
 */
const expectations = new WeakMap<object, Tags | undefined>()

/**
 * A call with the versions that it names. The `If-Match` of a request holds for writes of its
 * record that hooks make before the method, or in its place, with the params of the request: a
 * removal may be a patch. Other calls that pass on its params are about other records.
 */
class ConditionalCall {
  readonly tags: Tags | undefined
  /**
   * The versions that the record must not have: those of `If-None-Match`. Answers to reads leave
   * that to caches.
   */
  readonly noneMatch: Tags | undefined
  /** Whether it is the call of a request. */
  readonly isRequest: boolean
  /** Whether it needs to name a version, where requests do. */
  readonly isNeeded: boolean
  /** Whether a hook has written the record in place of the method. */
  readonly isDone: boolean
  /** The request whose record the call writes. */
  readonly #caller: Caller | undefined

  constructor(context: HookContext, field: string) {
    const { method, params, result } = context
    const caller = callerIn(params)
    this.isRequest = caller?.context === context
    this.#caller = isSameWrite(context, Object(caller?.context)) ? caller : undefined
    const isKnown = this.#caller !== undefined && expectations.has(this.#caller)
    const isOfRequest = this.isRequest || (this.#caller !== undefined && params.ifMatch === undefined)
    if (isKnown && isOfRequest) this.tags = expectations.get(this.#caller as Caller)
    else if (writes.has(method) || !methods.has(method)) this.tags = readTags(params, isOfRequest, field)
    const { method: verb } = Object(caller?.request) as Partial<FastifyRequest>
    if (isOfRequest && !isKnown && !['GET', 'HEAD', 'QUERY'].includes(String(verb)))
      this.noneMatch = parseTags(params.headers?.['if-none-match'])
    this.isNeeded = this.#caller !== undefined && this.tags === undefined && !isKnown
    this.isDone = isKnown && this.isRequest && result !== undefined
  }

  /** The method is about to run: what it calls itself is its own affair. */
  begin(): void {
    if (this.#caller !== undefined && this.isRequest) expectations.set(this.#caller, undefined)
  }

  /**
   * The record has been written. What writes it next, for the same request, expects it as it is
   * now.
   */
  end(version: unknown): void {
    if (this.#caller === undefined || this.isRequest || this.tags === undefined) return
    expectations.set(this.#caller, version === undefined ? this.tags : Tags.of(version))
  }
}

/** Whether a call writes the record that a request writes. */
const isSameWrite = ({ service, method, id }: HookContext, request: Partial<HookContext>): boolean =>
  writes.has(method) &&
  writes.has(String(request.method)) &&
  service === request.service &&
  String(id) === String(request.id)

type Next = () => Promise<void>

/** @returns the record as it was before, if `If-Match` has named its version */
async function runIf(
  { tags, noneMatch, isDone }: ConditionalCall,
  context: HookContext,
  field: string,
  next: Next
): Promise<VersionedRecord | undefined> {
  if (isDone) {
    await next()
    return undefined
  }
  const { service, method, params, id } = context
  const { object = service } = metaOf(service)
  const isStandard = methods.has(method)
  let before: VersionedRecord | undefined
  const compareFirst = async () => {
    if (noneMatch !== undefined) await requireNoMatch(noneMatch, context, object, field)
    if (tags === undefined || id === undefined) return next()
    const isStatement = isStandard && isKnexAdapter(object)
    if (isStatement && tags.isAny) return next()
    const record = await readRecord(context, object)
    const { [field]: version } = record
    if (!tags.isAny) {
      if (!tags.includes(version)) throw preconditionFailed(context)
      before = copyVersioned(record, field)
    }
    if (isStatement) return runStatement(context, object, field, version as Version, next)
    context.params = { ...params, ifMatch: version }
    await next().finally(() => {
      context.params = params
    })
  }
  const isWrite = method === 'create' || writes.has(method)
  if (isWrite && isAdapter(object) && !isKnexAdapter(object)) await runInTurn(object, context, compareFirst)
  else await compareFirst()
  return before
}

/** @throws PreconditionFailed where the statement has changed nothing, and the record is there */
async function runStatement(
  context: HookContext,
  adapter: KnexAdapter,
  column: string,
  version: Version,
  next: Next
): Promise<void> {
  const { params, outcome } = conditionalParams(context.params, adapter, { column, version })
  const paramsBefore = context.params
  context.params = params
  try {
    await next()
  } catch (error) {
    if (outcome() !== 'has changed nothing') throw error
    // The record may not be there, or no longer.
    await readRecord(context, adapter).catch((reason) => {
      if (toServiceError(reason).code === 404) throw reason
    })
    throw preconditionFailed(context)
  } finally {
    // Hooks further out may pass them on to other services.
    context.params = paramsBefore
  }
  if (outcome() !== 'has changed the record')
    throw new GeneralError(
      `'${context.method}' of '${context.path}' has written without the params of the call, or past the adapter: the condition of version('${column}') was lost`
    )
}

type VersionedRecord = Readonly<Record<string, unknown>>

async function readRecord(
  { id, params, path }: Pick<HookContext, 'id' | 'params' | 'path'>,
  object: object,
  query = params.query
): Promise<VersionedRecord> {
  const { get } = object as { get?: (id: unknown, params: object) => Promise<unknown> }
  if (get === undefined) throw new GeneralError(`'${path}' needs a method 'get' for If-Match and If-None-Match`)
  const { $select, ...conditions } = query ?? {}
  return Object(await get.call(object, id, { ...params, query: conditions }))
}

/** Reads a record. Returns `undefined` if there is no such record. */
const findRecord = (...args: Parameters<typeof readRecord>): Promise<VersionedRecord | undefined> =>
  readRecord(...args).catch((error) => {
    if (toServiceError(error).code !== 404) throw error
    return undefined
  })

/**
 * Copies a record, which the write may change in place. The version may come from a getter of its
 * class, and a spread has own fields only.
 */
const copyVersioned = (record: VersionedRecord, field: string): VersionedRecord => ({
  ...record,
  [field]: record[field]
})

/**
 * Refuses a write if `If-None-Match` names the record as it is: `*` is any record. A `create`
 * writes the records whose ids are in its data.
 *
 * @throws PreconditionFailed
 */
async function requireNoMatch(noneMatch: Tags, context: HookContext, object: object, field: string): Promise<void> {
  const { method, data, service, path, params } = context
  const idField = idFieldOf(service)
  const ids = method === 'create' ? [data].flat().map((record) => Object(record)[idField]) : [context.id]
  // The adapter for knex creates nothing by another method: a record that appears meanwhile must
  // not be overwritten.
  const read = method !== 'create' && isKnexAdapter(object) ? readRecord : findRecord
  for (const id of ids.filter((id) => id !== undefined && id !== null)) {
    const record = await read({ id, params, path }, object)
    if (record === undefined || !(noneMatch.isAny || noneMatch.includes(record[field]))) continue
    throw new ServiceError(`The record '${id}' of '${path}' is there already`, 'PreconditionFailed', 412)
  }
}

/**
 * Fails a write that has changed the record and left its version as it was: whoever knows that
 * version would overwrite the change.
 *
 * @param before the record as it was
 */
async function requireNewVersion(before: VersionedRecord, context: HookContext, field: string): Promise<void> {
  const { service, path, method, params, result } = context
  const { object = service } = metaOf(service)
  const tagsBefore = Tags.of(before[field])
  const { [field]: answered } = Object(result)
  // A selection may put another column under the name.
  if (params.query?.$select === undefined && isVersion(answered) && !tagsBefore.includes(answered)) return
  const after = await findRecord(context, object, {})
  if (after === undefined || !tagsBefore.includes(after[field])) return
  if (isDeepStrictEqual(before, copyVersioned(after, field))) return
  throw new GeneralError(
    `'${method}' of '${path}' has changed the record and left '${field}' as it was: version('${field}') needs a value that is new with each write. A column of dates needs fractional seconds, such as datetime(3)`
  )
}

const preconditionFailed = ({ id, path }: HookContext) =>
  new ServiceError(
    `The record '${id}' of '${path}' has been changed since it was read: get it again`,
    'PreconditionFailed',
    412
  )

/**
 * Runs a write of an adapter while no other runs on the same record: between the comparison and the
 * write an adapter waits. A write in memory takes no time, so there all writes of a service run one
 * after the other, those of many records too.
 */
function runInTurn(object: object, { id }: HookContext, run: Next): Promise<void> {
  const isMemory = 'store' in object
  if (!isMemory && (id === null || id === undefined)) return run()
  return runAlone(object, isMemory ? '' : String(id), run)
}

/** Two writes may come in the same millisecond. */
function newVersion(set: () => Version, tags: Tags | undefined): Version {
  const version = set()
  return version instanceof Date && tags?.includes(version) ? new Date(version.getTime() + 1) : version
}

function setVersion(context: HookContext, field: string, set: () => Version): void {
  const { data } = context
  if (data === undefined) return
  const withVersion = (record: object) => ({ ...record, [field]: set() })
  context.data = Array.isArray(data) ? data.map(withVersion) : withVersion(data)
}

/** The version of the record that a call gives, or of the first that `find` does. */
const versionIn = ({ result, method }: HookContext, field: string): unknown =>
  method === 'find' ? Object(Object(result).data ?? result)[0]?.[field] : Object(result)[field]

function setETag(context: HookContext, value: unknown): void {
  const tag = toTag(value)
  if (tag !== undefined) context.http = { ...context.http, headers: { ...context.http?.headers, ETag: tag } }
}
