import { validateHeaderName, validateHeaderValue } from 'node:http'
import encodeUrl from 'encodeurl'
import type { FastifyReply } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import type { Http } from '../../../types/hooks.js'
import { callStateIn } from '../../core/call-state.js'
import { GeneralError } from '../../core/errors.js'
import { inspect } from '../../core/options.js'
import { requestStateOf } from '../../core/request-state.js'
import { resetSerializer } from './serializer.js'

/**
 * Puts the status and the headers of a context on the reply.
 *
 * @param status of a result without a status of its own
 * @throws {GeneralError} if a hook has set a status or a header that can't be sent
 */
export function applyHttp(context: HookContext, status: number, reply: FastifyReply): void {
  const headers = toHeaders(context, 'stream' in reply.raw)
  reply.code(toStatus(context) ?? ('location' in headers ? 303 : status))
  if (headers !== none) {
    keepHeaders(reply)
    if ('content-type' in headers) resetSerializer(reply)
    reply.headers(headers)
  }
  if (callStateIn(context)?.addsFields) keepFromCaches(reply)
}

/** Lets no shared cache give a caller what another one may see, and no validator hide a change. */
function keepFromCaches(reply: FastifyReply): void {
  for (const name of ['etag', 'last-modified', 'expires']) reply.removeHeader(name)
  if (!/no-store/i.test(String(reply.getHeader('cache-control')))) reply.header('cache-control', 'private, no-cache')
}

function toStatus({ http, path, method }: HookContext): number | undefined {
  const status: unknown = http?.status
  // As in Feathers, `null`, `0` and so on set none.
  if (!status) return undefined
  if (isSendable(status)) return status
  throw new GeneralError(
    `A hook of ${path}.${method} has set the status to ${inspect(status)}: it must be a whole number from 200 to 599`
  )
}

const isSendable = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599

const none: NonNullable<Http['headers']> = {}

/** Returns the headers to send. Those that are `undefined` or `null` are left out. */
function toHeaders({ http, path, method }: HookContext, isHttp2: boolean): typeof none {
  if (http?.headers === undefined && http?.location === undefined) return none
  const location = isThere(http.location) ? { location: encodeUrl(http.location) } : {}
  const headers: typeof none = {}
  for (const [name, value] of Object.entries({ ...http.headers, ...location })) {
    if (!isThere(value) || (isHttp2 && isHopByHop(name))) continue
    try {
      validateHeaderName(name)
      // Node refuses `undefined` in a list, and would send `null` as a word.
      for (const item of [value].flat()) validateHeaderValue(name, item ?? undefined)
    } catch (error) {
      // The text may come from a client, so the message does not repeat it.
      const what = /^[\w-]+$/.test(name) ? `the header '${name}' to a value` : 'a header of a name'
      const message = `A hook of ${path}.${method} has set ${what} that HTTP can't carry`
      throw new GeneralError(message, undefined, { cause: error })
    }
    headers[name.toLowerCase()] = value
  }
  return headers
}

const isThere = <V>(value: V): value is NonNullable<V> => value !== undefined && value !== null

/** Adds a link to those that the reply has. */
export function addLink(reply: FastifyReply, link: string): void {
  const links = reply.getHeader('link')
  reply.header('link', links === undefined ? link : [links, link].flat())
}

/** Keeps the headers of a reply, before the result sets its own. */
export function keepHeaders(reply: FastifyReply): void {
  const state = requestStateOf(reply.request)
  state.headersBefore ??= Object.fromEntries(
    // Fastify appends cookies to the list that it has.
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value])
  )
}

// They are about the body of the result. Hooks and plugins of the application set them, too.
const bodyHeaders = new Set(['content-encoding', 'etag', 'last-modified'])

/**
 * Removes the headers of a result for an error answer. Headers that middleware set before the call
 * stay, unless they describe another body.
 */
export function restoreHeaders(reply: FastifyReply): void {
  const { headersBefore: before, hasNextLink } = requestStateOf(reply.request)
  const isOfBody = (name: string) => bodyHeaders.has(name) || (hasNextLink && name === 'link')
  for (const name of Object.keys(reply.getHeaders())) {
    if (reply.raw.headersSent || (before === undefined && !isOfBody(name))) continue
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
  for (const [name, value] of Object.entries(before ?? {}))
    if (value !== undefined && !isOfBody(name)) reply.header(name, value)
}

// RFC 9110, section 7.6.1. HTTP/2 has none of them (RFC 9113, section 8.2.2).
const hopByHop = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

/** Whether a header applies to a single connection, and must not be passed on. */
export const isHopByHop = (name: string) => hopByHop.has(name.toLowerCase())
