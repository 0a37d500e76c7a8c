import type { FastifyRequest } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import type { Query } from '../../../types/service.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { includeName } from '../../core/added-fields.js'
import { isJSON } from '../../core/content.js'
import type { Describable } from '../../core/description.js'
import { BadRequest, errorFromJSON, GeneralError, toServiceError } from '../../core/errors.js'
import { type Caller, callerIn } from '../../core/http-call.js'
import { fillPath } from '../../core/path.js'
import { requestStateOf } from '../../core/request-state.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import type { ServiceMethod } from '../../core/service.js'
import { credentialsOf, requestAs } from '../../shared/caller-requests.js'
import { isRecord, recordsIn } from './records.js'

/** The related records of a page by the key that refers to them, as text. */
export type RelatedRecords = ReadonlyMap<string, readonly object[]>

/** What is asked of another service. */
interface RelatedQuestion {
  readonly name: string
  readonly service: string
  readonly by?: string
  readonly query?: Query
  /** The paths of related records within the related ones. */
  readonly within: readonly string[]
  /** The keys of the records of the page: ids, lists of ids, or anything that the store holds. */
  readonly values: readonly unknown[]
}

type CallParams = HookContext['params']

const maxRelated = 1000
/** A service may return smaller pages than it was asked for. */
const maxRequests = 10

/**
 * Finds the records of another service that belong to a page, as the caller of the page.
 * @throws {BadRequest} if there are too many
 */
export async function findRelated(
  params: CallParams,
  target: Describable,
  { name, service, by, query, within, values }: RelatedQuestion
): Promise<RelatedRecords> {
  const idField = idFieldOf(target.object)
  const key = by ?? idField
  const $in = [...new Set(values.flat().filter(isKey))]
  const found = new Map<string, object[]>()
  if ($in.length === 0) return found
  const tooMany = () =>
    new BadRequest(
      `The page has too many related records '${name}'. Ask for fewer records with $limit, or find those of '${service}' by themselves`
    )
  if ($in.length > maxRelated) throw tooMany()
  const isSortable = rulesOf(target.options.schema?.find)?.query.sort.includes(idField) !== false
  const asked: Query = {
    ...(by !== undefined && isSortable && { $sort: { [idField]: 1 } }),
    ...query,
    // A page that is not full needs no count.
    $limit: by === undefined ? $in.length + 1 : maxRelated + 1,
    ...(query?.[key] === undefined ? { [key]: { $in } } : { $and: [...[query.$and ?? []].flat(), { [key]: { $in } }] }),
    ...(within.length > 0 && { [includeName]: within })
  }
  const ask = createAsk(params, target)
  let count = 0
  for (let requests = 0; ; requests++) {
    if (requests === maxRequests) throw tooMany()
    // Calls may change their query.
    const page = await ask(structuredClone({ ...asked, ...(count > 0 && { $skip: count }) }))
    const records = recordsIn(page) ?? []
    for (const record of records) {
      const value: unknown = isRecord(record) ? Reflect.get(record, key) : undefined
      if (!isKey(value)) continue
      const group = found.get(String(value))
      if (group === undefined) found.set(String(value), [record as object])
      else group.push(record as object)
    }
    count += records.length
    if (count > maxRelated) throw tooMany()
    const { total }: { total?: unknown } = Object(page)
    if (records.length === 0 || typeof total !== 'number' || count >= total) return found
  }
}

/** Whether a value can be a key. A stored object could be an operator of the query. */
const isKey = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') || ['number', 'bigint'].includes(typeof value)

type AskForRecords = (query: Query) => Promise<unknown>

/**
 * Creates the function that calls `find` of another service. It returns `undefined` if the caller
 * may not call it.
 */
function createAsk(params: CallParams, target: Describable): AskForRecords {
  const client = params.provider === undefined ? undefined : callerIn(params)
  return client === undefined ? askInServer(params, target) : askAsClient(client, params, target)
}

/** Asks through the route, so that everything which holds for the client's own requests holds here. */
function askAsClient(client: Caller, { route }: CallParams, { path }: Describable): AskForRecords {
  const request = client.request as FastifyRequest
  const { mcp } = requestStateOf(request.raw)
  const credentials = credentialsOf(request)
  const url = `/${fillPath(encodeURI(path), route)}`
  const options = { method: 'GET', url, headers: { accept: 'application/json' } } as const
  let destroy: (() => void) | undefined
  client.signal.addEventListener('abort', () => destroy?.())
  return async (query) => {
    client.throwIfGone()
    const answer = await requestAs(credentials, request.server, options, (raw, response) => {
      Object.assign(requestStateOf(raw), { query, mcp })
      destroy = () => response.destroy()
    }).catch((error: unknown) => {
      client.throwIfGone()
      throw error
    })
    const { statusCode: status, headers, payload } = answer
    const body: unknown = isJSON(String(headers['content-type'])) ? JSON.parse(payload) : undefined
    if (refused.has(status)) return undefined
    if (status >= 400) throw errorFromJSON(status, body)
    if (body === undefined) throw new GeneralError(`GET ${url} was not answered with JSON`)
    return body
  }
}

/** Asks as the server, or as the caller that its params name. */
function askInServer(params: CallParams, target: Describable): AskForRecords {
  const method = target.methods.get('find') as ServiceMethod
  return async (query) => {
    const context = method.context([{ ...params, query, paginate: false }])
    try {
      await method.run(context)
    } catch (error) {
      if (params.provider !== undefined && refused.has(toServiceError(error).code)) return undefined
      throw error
    }
    return params.provider === undefined || context.dispatch === undefined ? context.result : context.dispatch
  }
}

/** The statuses that tell a caller that it may not see any records. */
const refused = new Set([401, 403, 404, 405])
