import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { AroundHook, HookContext } from '../../types/fastify.js'
import type { NextFunction } from '../../types/hooks.js'
import { idFieldOf, isAdapter } from '../core/adapters/feathers.js'
import { isKnexAdapter, type KnexAdapter } from '../core/adapters/knex.js'
import type { TableService } from '../core/adapters/table.js'
import { conditionalWrite, takesConditions } from '../core/adapters/write-condition.js'
import { callStateOf, type ExpectedVersions } from '../core/call-state.js'
import { BadRequest, GeneralError, ServiceError, toServiceError } from '../core/errors.js'
import { withFieldCheck } from '../core/field-names.js'
import { aroundOnly, type DescribedOperation, forbidAsHook, type OperationDocs, withTraits } from '../core/hooks.js'
import { callerIn, readVerbs } from '../core/http-call.js'
import { methods } from '../core/methods.js'
import { checkFieldName, checkOptions, kinds, type OptionTable } from '../core/options.js'
import { implementationOf, isForLogins } from '../core/service-meta.js'
import { isVersion, parseTags, readTags, Tags, toTag, type Version } from './etag.js'
import { withWriteLock } from './write-lock.js'

/** Options of `version()`. */
export interface VersionOptions {
  /**
   * Whether `update`, `patch` and `remove` of a record over HTTP need `If-Match`: 428 without it.
   * Default `false`.
   */
  required?: boolean
  /**
   * Returns the version of a record that is created or changed. Default: the database or a hook
   * changes the field.
   */
  set?: () => Version
}

const versionOptions: OptionTable<VersionOptions> = { required: kinds.flag, set: kinds.function }

/**
 * Creates an around hook that lets callers change a record only if they know its current version
 * (docs/writes.md#conditional-writes). Answers have the version as `ETag`. `update`, `patch` and
 * `remove` with `If-Match` change the record only if it has that version. Internal calls pass a
 * version or a record as `params.ifMatch`. If a service has no adapter, the hook compares the
 * version just before the method, which can use `params.ifMatch` in its own statement.
 *
 * @param field the field of the version: a number, a text or a date that changes with each write
 * @returns a hook for `around`, of one service or of all. It throws `PreconditionFailed` (412) if
 * the record has another version, `PreconditionRequired` (428) if the call must name one,
 * BadRequest for a version of many records, GeneralError if a write did not change the version
 * @throws if no field is named, or an option is unknown or has the wrong type; when the server
 * starts, if it is no around hook, or the records have no such field
 * @example
 * const versioned = version('updatedAt', { set: () => new Date() })
 * app.service('notes', notes, { hooks: { around: { all: [versioned] } } })
 */
export function version(field: string, options: VersionOptions = {}): AroundHook {
  checkFieldName('version', field, 'updatedAt')
  checkOptions('version()', versionOptions, options)
  const { required = false, set } = options
  const warned = new Set<string>()

  const hook: AroundHook = async (context, next) => {
    const { method, service } = context
    // Credentials are no records.
    if (isForLogins(service)) return next()
    const call = new ConditionalCall(context, field)
    checkPreconditions(call, context, required)
    if (set !== undefined && methods.has(method)) setVersion(context, field, () => newVersion(set, call.tags))
    call.begin()
    const before = await runIf(call, context, field, next)
    const versionAfter = versionIn(context, field)
    call.end(versionAfter)
    if (before !== undefined && returnsRecord.has(method)) await requireNewVersion(before, context, field)
    if (versionAfter === undefined) return
    // A custom method may return something else than the current record.
    if (returnsRecord.has(method) && call.isRequest) setETag(context, versionAfter)
    if (!methods.has(method) && call.tags?.includes(versionAfter) && !call.tags.isAny)
      warnOfOldVersion(context, field, warned)
  }
  const openapi = (operation: DescribedOperation) => toOperationDocs(operation, required)
  const traits = { isInnermost: true, check: aroundOnly('version'), openapi }
  return withFieldCheck(withTraits(hook, traits), { who: 'version', fields: [field], where: 'stored' })
}

forbidAsHook(version, "version('updatedAt')")

/** @throws if the call has to name a version, or names one for many records */
function checkPreconditions(call: ConditionalCall, { method, path, id }: HookContext, isRequired: boolean): void {
  if (isRequired && call.isNeeded && call.noneMatch?.isAny !== true)
    throw new ServiceError(
      `'${method}' of '${path}' needs the header If-Match with the ETag of the record`,
      'PreconditionRequired',
      428
    )
  if (id !== null) return
  if (call.tags !== undefined) throw new BadRequest(`'${method}' of '${path}' takes If-Match for one record`)
  if (call.noneMatch !== undefined) throw new BadRequest(`'${method}' of '${path}' takes If-None-Match for one record`)
}

/** Warns once for each custom method that did not change the version. */
function warnOfOldVersion({ app, method, path }: HookContext, field: string, warned: Set<string>): void {
  const name = `'${method}' of '${path}'`
  if (warned.has(name)) return
  warned.add(name)
  const { log } = app
  log.warn(`${name} left '${field}' as it was: version('${field}') needs it to change with each write`)
}

function toOperationDocs({ method, verb, hasId }: DescribedOperation, required: boolean): OperationDocs {
  const isRequired = required && writes.has(method)
  const takesTag = hasId && (writes.has(method) || (!methods.has(method) && verb !== 'GET'))
  return {
    ...(returnsRecord.has(method) && { response: etagNote }),
    ...(takesTag && { request: { ...ifMatchNote, required: isRequired } }),
    ...(takesTag && { statuses: ['412', ...(isRequired ? ['428'] : [])] })
  }
}

/** The methods that return the current record. */
const returnsRecord = new Set(['get', 'create', 'update', 'patch'])
/** The methods that change an existing record. */
const writes = new Set(['update', 'patch', 'remove'])

const etagNote = { name: 'ETag', description: 'The version of the record, for `If-Match`. A list has none.' }
const ifMatchNote = {
  name: 'If-Match',
  description: 'The ETag of the record as it was read: it is changed only if it is still the same.'
}

/**
 * A call with the versions that it names. The `If-Match` of a request also applies to writes of its
 * record by hooks before the method, or in its place, with the params of the request: a removal may
 * be a patch. Other calls with these params are about other records.
 */
class ConditionalCall {
  readonly tags: ExpectedVersions | undefined
  /** The versions of `If-None-Match`, which the record must not have. Reads leave it to caches. */
  readonly noneMatch: Tags | undefined
  /** Whether it is the call of a request. */
  readonly isRequest: boolean
  /** Whether it needs to name a version, if requests do. */
  readonly isNeeded: boolean
  /** Whether a hook has written the record in place of the method. */
  readonly isDone: boolean
  /** The state of the request's call, if this call writes the same record. */
  readonly #requestState: ReturnType<typeof callStateOf> | undefined

  constructor(context: HookContext, field: string) {
    const { method, params, result } = context
    const caller = callerIn(params)
    const requestContext = caller?.context as HookContext | undefined
    this.isRequest = requestContext === context
    if (requestContext !== undefined && isSameWrite(context, requestContext))
      this.#requestState = callStateOf(requestContext)
    const expected = this.#requestState?.expectedVersions
    const isKnown = expected !== undefined
    const isOfRequest = this.isRequest || (this.#requestState !== undefined && params.ifMatch === undefined)
    if (isKnown && isOfRequest) this.tags = expected ?? undefined
    else if (writes.has(method) || !methods.has(method)) this.tags = readTags(params, isOfRequest, field)
    const { method: verb } = Object(caller?.request) as Partial<FastifyRequest>
    if (isOfRequest && !isKnown && !readVerbs.has(verb)) this.noneMatch = parseTags(params.headers?.['if-none-match'])
    this.isNeeded = this.#requestState !== undefined && this.tags === undefined && !isKnown
    this.isDone = isKnown && this.isRequest && result !== undefined
  }

  /** Is called before the method runs. Calls by the method itself have no condition. */
  begin(): void {
    if (this.#requestState !== undefined && this.isRequest) this.#requestState.expectedVersions = null
  }

  /** Is called after the write. The next write for the same request expects the new version. */
  end(version: unknown): void {
    if (this.#requestState === undefined || this.isRequest || this.tags === undefined) return
    this.#requestState.expectedVersions = version === undefined ? this.tags : Tags.of(version)
  }
}

/** Returns whether a call writes the record that a request writes. */
const isSameWrite = ({ service, method, id }: HookContext, request: HookContext): boolean =>
  writes.has(method) && writes.has(request.method) && service === request.service && String(id) === String(request.id)

/**
 * Runs a call if the record has the right version.
 * @returns the record before the write, if `If-Match` has named its version
 */
async function runIf(
  { tags, noneMatch, isDone }: ConditionalCall,
  context: HookContext,
  field: string,
  next: NextFunction
): Promise<VersionedRecord | undefined> {
  if (isDone) {
    await next()
    return undefined
  }
  const { service, method, params, id } = context
  const object = implementationOf(service)
  const isStandard = methods.has(method)
  let before: VersionedRecord | undefined
  const compareFirst = async () => {
    if (noneMatch !== undefined) await requireNoMatch(noneMatch, context, object, field)
    if (tags === undefined || id === undefined) return next()
    const isStatement = isStandard && takesConditions(object)
    if (isStatement && tags.isAny) return next()
    const record = await readRecord(context, object)
    const { [field]: version } = record
    if (!tags.isAny) {
      if (!tags.includes(version)) throw preconditionFailed(context)
      before = copyVersioned(record, field)
    }
    if (isStatement) return writeIfVersion(context, object, field, version, next)
    context.params = { ...params, ifMatch: version }
    await next().finally(() => {
      context.params = params
    })
  }
  const isWrite = method === 'create' || writes.has(method)
  if (isWrite && isAdapter(object) && !takesConditions(object)) await runLocked(object, context, compareFirst)
  else await compareFirst()
  return before
}

/** @throws PreconditionFailed if the statement has changed nothing, and the record exists */
async function writeIfVersion(
  context: HookContext,
  adapter: TableService | KnexAdapter,
  column: string,
  value: unknown,
  next: NextFunction
): Promise<void> {
  const outcome = await conditionalWrite(context, adapter, { column, value }, next)
  if (outcome === 'has changed the record') return
  if (outcome === 'has not run') throw lostCondition(context, column)
  // The record may not exist. A transaction may still see the version that it has read before.
  await readRecord(context, adapter).catch((reason) => {
    if (toServiceError(reason).code === 404) throw reason
  })
  throw preconditionFailed(context)
}

const lostCondition = ({ method, path }: HookContext, column: string) =>
  new GeneralError(
    `'${method}' of '${path}' has written without the params of the call, or past the adapter: the condition of version('${column}') was lost`
  )

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

/** Returns a record, `undefined` if it does not exist. */
const findRecord = (...args: Parameters<typeof readRecord>): Promise<VersionedRecord | undefined> =>
  readRecord(...args).catch((error) => {
    if (toServiceError(error).code !== 404) throw error
    return undefined
  })

/**
 * Copies a record, which the write may change in place. The version may be a getter of its class,
 * which a spread does not copy.
 */
const copyVersioned = (record: VersionedRecord, field: string): VersionedRecord => ({
  ...record,
  [field]: record[field]
})

/**
 * Checks `If-None-Match`. A `create` writes the records whose ids are in its data.
 *
 * @throws PreconditionFailed if it names the current version of the record: `*` names any
 */
async function requireNoMatch(noneMatch: Tags, context: HookContext, object: object, field: string): Promise<void> {
  const { method, data, service, path, params } = context
  const idField = idFieldOf(service)
  const ids = method === 'create' ? [data].flat().map((record) => Object(record)[idField]) : [context.id]
  // The adapter for knex creates records only by `create`, so a missing record is 404: one that
  // appears meanwhile must not be overwritten.
  const read = method !== 'create' && isKnexAdapter(object) ? readRecord : findRecord
  for (const id of ids.filter((id) => id !== undefined && id !== null)) {
    const record = await read({ id, params, path }, object)
    if (record === undefined || !(noneMatch.isAny || noneMatch.includes(record[field]))) continue
    throw new ServiceError(`The record '${id}' of '${path}' is there already`, 'PreconditionFailed', 412)
  }
}

/**
 * @param before the record before the write
 * @throws GeneralError if a write has changed the record but not its version: callers that know the
 * old version would overwrite the change
 */
async function requireNewVersion(before: VersionedRecord, context: HookContext, field: string): Promise<void> {
  const { service, path, method, params, result } = context
  const object = implementationOf(service)
  const tagsBefore = Tags.of(before[field])
  const { [field]: newVersion } = Object(result)
  // A selection may put another column under the name.
  if (params.query?.$select === undefined && isVersion(newVersion) && !tagsBefore.includes(newVersion)) return
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
 * Runs a write of an adapter while no other write of the same record runs, since an adapter waits
 * between the comparison and the write. A write in memory is fast, so all writes of such a service
 * share one lock, including writes of many records.
 */
function runLocked(object: object, { id }: HookContext, run: NextFunction): Promise<void> {
  const isMemory = 'store' in object
  if (!isMemory && (id === null || id === undefined)) return run()
  return withWriteLock(object, isMemory ? '' : String(id), run)
}

/** Returns the next version. Two writes may come in the same millisecond. */
function newVersion(set: () => Version, tags: ExpectedVersions | undefined): Version {
  const version = set()
  return version instanceof Date && tags?.includes(version) ? new Date(version.getTime() + 1) : version
}

function setVersion(context: HookContext, field: string, set: () => Version): void {
  const { data } = context
  if (data === undefined) return
  const withVersion = (record: object) => ({ ...record, [field]: set() })
  context.data = Array.isArray(data) ? data.map(withVersion) : withVersion(data)
}

/** Returns the version of the record that a call returns, or of the first one of a list. */
const versionIn = ({ result, method }: HookContext, field: string): unknown =>
  method === 'find' ? Object(Object(result).data ?? result)[0]?.[field] : Object(result)[field]

function setETag(context: HookContext, value: unknown): void {
  const tag = toTag(value)
  if (tag !== undefined) context.http = { ...context.http, headers: { ...context.http?.headers, ETag: tag } }
}
