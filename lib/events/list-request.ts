import type { FastifyRequest } from 'fastify'
import { parse } from 'qs'
import { BadRequest, type ServiceError, toServiceError } from '../core/errors.js'
import { isPlain } from '../core/objects.js'
import { stripSlashes } from '../core/path.js'
import type { EventsLimits } from './options.js'

type QueryObject = Readonly<Record<string, unknown>>

/** A list that a client wants to subscribe to. */
export interface ListRequest {
  /** The URL path, without a leading slash. */
  readonly path: string
  /** The path as the client has sent it, relative to its base URL. Frames repeat it. */
  readonly name: string
  readonly query: QueryObject
  /** Whether the query was sent as JSON, so that its values have types. */
  readonly isJSON: boolean
}

/** Returns the query string of a request, without `?`. @throws {BadRequest} if it is too long */
function queryString({ url }: FastifyRequest['raw'], { request }: EventsLimits): string {
  const [, text = ''] = String(url).split(/\?(.*)/s)
  if (text.length > request) throw new BadRequest(`The query is longer than ${request} characters`)
  return text
}

// The same limit as for the query strings of services.
const maxParameters = 1000

function parseQuery(text: string, depth: number, strictDepth = true): QueryObject {
  if (text.split('&', maxParameters + 1).length > maxParameters)
    throw new BadRequest(`There are more than ${maxParameters} parameters`)
  try {
    return parse(text, { depth, strictDepth, parameterLimit: maxParameters }) as QueryObject
  } catch (cause) {
    throw new BadRequest(`The query is more than ${depth} levels deep`, undefined, { cause })
  }
}

/** Returns the URL path of a request, without a leading slash. */
export const urlPathOf = ({ raw }: FastifyRequest): string => stripSlashes(String(raw.url).split('?')[0] as string)

/** Reads the list from a request to its own URL, with `Accept: text/event-stream`. */
export function listRequestOfUrl(request: FastifyRequest, limits: EventsLimits): ListRequest {
  const { raw, method } = request
  const path = urlPathOf(request)
  if (method === 'QUERY') return { path, name: path, query: request.query as QueryObject, isJSON: true }
  return { path, name: path, query: parseQuery(queryString(raw, limits), limits.depth), isJSON: false }
}

/**
 * Reads the parameter `subscribe` of a request for a stream: from the query string, or from the
 * body of QUERY.
 *
 * @returns the lists, with an error in place of each invalid one; `undefined` if there is no
 * `subscribe`
 * @throws {BadRequest} if the request as a whole is invalid or too long
 */
export function readListRequests(
  request: FastifyRequest,
  limits: EventsLimits
): readonly (ListRequest | ServiceError)[] | undefined {
  const isJSON = request.method === 'QUERY'
  // `subscribe[0][query]` adds three levels. `qs` keeps deeper ones as a name with brackets, so
  // that only the list with that name is refused.
  const query = isJSON ? request.body : parseQuery(queryString(request.raw, limits), limits.depth + 3, false)
  const { subscribe } = Object(query) as { subscribe?: unknown }
  if (subscribe === undefined) return undefined
  // `qs` returns long arrays as objects with the indexes as keys.
  const items = isPlain(subscribe) && !isJSON ? Object.values(subscribe) : subscribe
  if (!Array.isArray(items) || items.length === 0) throw new BadRequest('`subscribe` must be a list of { path, query }')
  const tooMany = new BadRequest(
    `A stream has ${limits.subscriptions} lists at most, and the tabs of a page share it: end other lists, or raise \`limits.subscriptions\` of the server`
  )
  return items.map((item, index) => {
    if (index >= limits.subscriptions) return tooMany
    try {
      return toListRequest(item, isJSON, limits)
    } catch (error) {
      return toServiceError(error)
    }
  })
}

function toListRequest(item: unknown, isJSON: boolean, limits: EventsLimits): ListRequest {
  const { path, query = {} } = Object(item) as { path?: unknown; query?: unknown }
  if (typeof path !== 'string' || !isPlain(query))
    throw new BadRequest('Each list in `subscribe` needs a `path`, a text, and may have a `query`, an object')
  if (!path.split('/').every(isSegment)) throw new BadRequest('The path of a list is not valid in a URL')
  checkNesting(query, limits.depth + 1)
  return { path, name: path, query, isJSON }
}

/** Whether a text can be a segment of a URL path without further encoding. */
function isSegment(segment: string): boolean {
  if (!/^[\w.~!$&'()*+,;=:@%-]{1,500}$/.test(segment) || /%(?![\da-f]{2})/i.test(segment)) return false
  return !/^(\.|%2e){1,2}$/i.test(segment)
}

function checkNesting(value: object, levels: number): void {
  if (levels === 0) throw new BadRequest('The query of a list is nested too deep')
  for (const [name, item] of Object.entries(value)) {
    if (name in Object.prototype) throw new BadRequest("A parameter can't have a name that every object has")
    if (typeof item === 'object' && item !== null) checkNesting(item, levels - 1)
  }
}
