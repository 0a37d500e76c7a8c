import type { FastifyRequest } from 'fastify'
import { parse } from 'qs'
import { BadRequest, NotFound, type ServiceError, toServiceError } from '../core/errors.js'
import { isPlain } from '../core/objects.js'
import { stripSlashes } from '../core/path.js'
import type { Channel } from './channel.js'
import type { EventsLimits } from './options.js'

type QueryObject = Readonly<Record<string, unknown>>

/** What is asked for: a list of a service. */
export interface ListRequest {
  /** The path of the URL, without a slash before it. */
  readonly path: string
  /**
   * The path as the client has named it, by which frames tell of it: that of the URL, or what
   * stands there behind the address of the client.
   */
  readonly name: string
  readonly query: QueryObject
  /** Whether the query has the types of JSON. */
  readonly isJSON: boolean
}

/** The query string of a request, without `?`. @throws {BadRequest} when it is too long */
function queryString({ url }: FastifyRequest['raw'], { request }: EventsLimits): string {
  const [, text = ''] = String(url).split(/\?(.*)/s)
  if (text.length > request) throw new BadRequest(`The query is longer than ${request} characters`)
  return text
}

// As in the query strings of services.
const mostParameters = 1000

function parseQuery(text: string, depth: number, strictDepth = true): QueryObject {
  if (text.split('&', mostParameters + 1).length > mostParameters)
    throw new BadRequest(`There are more than ${mostParameters} parameters`)
  try {
    return parse(text, { depth, strictDepth, parameterLimit: mostParameters }) as QueryObject
  } catch (cause) {
    throw new BadRequest(`The query is more than ${depth} levels deep`, undefined, { cause })
  }
}

/** The path of the URL of a request, without a slash before it. */
export const urlPathOf = ({ raw }: FastifyRequest): string => stripSlashes(String(raw.url).split('?')[0] as string)

/** The list that the URL of a list names. */
export function listAt(request: FastifyRequest, limits: EventsLimits): ListRequest {
  const { raw, method } = request
  const path = urlPathOf(request)
  if (method === 'QUERY') return { path, name: path, query: request.query as QueryObject, isJSON: true }
  return { path, name: path, query: parseQuery(queryString(raw, limits), limits.depth), isJSON: false }
}

/**
 * The lists that a request names in its query string or, by QUERY, in its body. `undefined` where
 * it names none. In the place of a list that is not as it must be, or over the limit, stands the
 * error of it alone.
 * @throws {BadRequest} when it names something else, or is too long
 */
export function listsIn(
  request: FastifyRequest,
  limits: EventsLimits
): readonly (ListRequest | ServiceError)[] | undefined {
  const isJSON = request.method === 'QUERY'
  // `subscribe[0][query]` stands before each of the names. What is deeper is left as a name, by
  // which its list is refused, and not all of them.
  const query = isJSON ? request.body : parseQuery(queryString(request.raw, limits), limits.depth + 3, false)
  const { subscribe } = Object(query) as { subscribe?: unknown }
  if (subscribe === undefined) return undefined
  // Long lists in query strings are objects with the numbers as keys.
  const items = isPlain(subscribe) && !isJSON ? Object.values(subscribe) : subscribe
  if (!Array.isArray(items) || items.length === 0) throw new BadRequest('`subscribe` must be a list of { path, query }')
  const refusal = new BadRequest(
    `A stream has ${limits.subscriptions} lists at most, and the tabs of a page share it: end other lists, or raise \`limits.subscriptions\` of the server`
  )
  return items.map((item, index) => {
    if (index >= limits.subscriptions) return refusal
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
  checkNesting(query, limits.depth + 1)
  return { path, name: path, query, isJSON }
}

function checkNesting(value: object, levels: number): void {
  if (levels === 0) throw new BadRequest('The query of a list is nested too deep')
  for (const [name, item] of Object.entries(value)) {
    if (name in Object.prototype) throw new BadRequest("A parameter can't have a name that every object has")
    if (typeof item === 'object' && item !== null) checkNesting(item, levels - 1)
  }
}

/** Channels whose paths begin alike, by their next segment. */
interface Branch {
  readonly fixed: Map<string, Branch>
  placeholder?: Branch
  channel?: Channel
}

/** Returns the channel at a path. As in the router, a fixed segment comes before a placeholder. */
function channelAt(branch: Branch | undefined, segments: readonly string[], depth = 0): Channel | undefined {
  const segment = segments[depth]
  if (branch === undefined || segment === undefined) return branch?.channel
  const next = depth + 1
  return channelAt(branch.fixed.get(segment), segments, next) ?? channelAt(branch.placeholder, segments, next)
}

/** Finds the channel of a path, however many there are. */
export class ChannelFinder {
  readonly #root: Branch = { fixed: new Map() }

  add(channel: Channel): void {
    let branch = this.#root
    for (const segment of channel.path.split('/')) {
      const isPlaceholder = segment.startsWith(':')
      const next = (isPlaceholder ? branch.placeholder : branch.fixed.get(segment)) ?? { fixed: new Map() }
      if (isPlaceholder) branch.placeholder = next
      else branch.fixed.set(segment, next)
      branch = next
    }
    branch.channel = channel
  }

  /**
   * Finds the service of a list. A client whose address has a path, as `https://host/api`, names
   * what stands behind that, `notes` for `/api/notes`: the path of the door, as the client has
   * asked for it, begins with the one of the address.
   *
   * @returns the service, and the path of the URL of the list
   * @throws {NotFound} when there is none; {BadRequest} when it is no path
   */
  find(name: string, door: string): { readonly channel: Channel; readonly path: string } {
    const parts = door.split('/')
    for (const [length] of parts.entries()) {
      const path = [...parts.slice(0, length), name].join('/')
      const channel = this.#at(path)
      if (channel !== undefined) return { channel, path }
    }
    throw new NotFound(`There are no events of '${name.slice(0, 100)}'`)
  }

  #at(path: string): Channel | undefined {
    const segments = path.split('/')
    if (segments.some((segment) => !isSegment(segment))) throw new BadRequest('The path of a list is none of a URL')
    return channelAt(this.#root, segments)
  }
}

/** Whether a text can stand between the slashes of a URL as it is. */
function isSegment(segment: string): boolean {
  if (!/^[\w.~!$&'()*+,;=:@%-]{1,500}$/.test(segment) || /^\.\.?$|%(?![\da-f]{2})/i.test(segment)) return false
  return !/^(\.|%2e){1,2}$/i.test(segment)
}
