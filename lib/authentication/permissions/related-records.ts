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
import { resolveToJson } from '../../schema/to-json.js'
import { credentialsOf, requestAs } from '../../shared/caller-requests.js'
import { isRecord, recordsIn } from './records.js'

/** Returns the related records that a key refers to: an id, or anything that the store holds. */
export type RelatedTo = (key: unknown) => readonly object[]

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
): Promise<RelatedTo> {
  const idField = idFieldOf(target.object)
  const key = by ?? idField
  const groups = new Map<string, object[]>()
  const relatedTo: RelatedTo = (value) => {
    const id = toRelationKey(value)
    return (id === undefined ? undefined : groups.get(String(id))) ?? []
  }
  let $in = [...new Set(values.flat().map(toRelationKey))].filter((value) => value !== undefined)
  const tooMany = () =>
    new BadRequest(
      `The page has too many related records '${name}'. Ask for fewer records with $limit, or find those of '${service}' by themselves`
    )
  if ($in.length > maxRelated) throw tooMany()
  const isSortable = rulesOf(target.options.schema?.find)?.query.sort.includes(idField) !== false
  const sort = Object(query?.$sort)
  const ask = createAsk(params, target)
  const seen = new Set<string>()
  let count = 0
  for (let requests = 0; $in.length > 0; requests++) {
    if (requests === maxRequests) throw tooMany()
    const condition = { [key]: { $in } }
    const asked: Query = {
      ...query,
      ...(by !== undefined && isSortable && { $sort: { ...sort, [idField]: sort[idField] ?? 1 } }),
      // A page that is not full needs no count.
      $limit: by === undefined ? $in.length + 1 : maxRelated + 1,
      ...(query?.[key] === undefined ? condition : { $and: [...[query.$and ?? []].flat(), condition] }),
      ...(within.length > 0 && { [includeName]: within }),
      ...(count > 0 && { $skip: count })
    }
    let page: unknown
    try {
      // Calls may change their query.
      page = await ask(structuredClone(asked))
    } catch (error) {
      const refusedItems = refusedItemsOf(error, key)
      if (refusedItems.size === 0) throw error
      $in = $in.filter((_, index) => !refusedItems.has(index))
      continue
    }
    const records = (recordsIn(page) ?? []).filter(isRecord)
    let isNew = false
    for (const record of records) {
      const [id, value] = [idField, key].map((field) => toRelationKey(Reflect.get(record, field)))
      // Pages overlap if records were added in between, or if a service ignores `$skip`.
      if (value === undefined || seen.has(String(id))) continue
      if (id !== undefined) seen.add(String(id))
      isNew = true
      const group = groups.get(String(value))
      if (group === undefined) groups.set(String(value), [record])
      else group.push(record)
    }
    count += records.length
    if (count > maxRelated) throw tooMany()
    if (!isNew || isLastPage(page, records.length, count)) break
  }
  return relatedTo
}

/**
 * Returns the text, number or bigint by which a value can be looked up, as JSON has it. A stored
 * object could be an operator of the query.
 */
function toRelationKey(value: unknown): string | number | bigint | undefined {
  const json = resolveToJson(value)
  if (typeof json === 'bigint' || (typeof json === 'number' && Number.isFinite(json))) return json
  return typeof json === 'string' && json !== '' ? json : undefined
}

/** Whether no page follows. Services may have totals that are texts, or none. */
function isLastPage(page: unknown, length: number, count: number): boolean {
  const json = resolveToJson(page)
  if (Array.isArray(json)) return true
  const { total, limit } = Object(json)
  return total === undefined || total === null ? length < Number(limit) : count >= Number(total)
}

/** Returns the positions of the keys that the schema of the other service refuses: no record has them. */
function refusedItemsOf(error: unknown, key: string): ReadonlySet<number> {
  const paths = [Object(error).errors].flat().map((issue) => String(Object(issue).instancePath).split('/'))
  return new Set(
    paths.filter((path) => path.at(-2) === '$in' && path.at(-3) === key).map((path) => Number(path.at(-1)))
  )
}

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
