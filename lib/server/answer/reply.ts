import { validateHeaderName, validateHeaderValue } from 'node:http'
import encodeUrl from 'encodeurl'
import type { FastifyReply } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import type { Http } from '../../../types/hooks.js'
import { GeneralError } from '../../core/errors.js'
import { inspect } from '../../core/options.js'
import { notesOn } from '../request/request.js'
import { resetEncoder } from './host-serializer.js'

/**
 * Puts the outcome of a call on the reply: status, headers and `reply.data`
 * (docs/http.md#responses).
 *
 * @param read gives what a result stands for
 * @throws {GeneralError} when a hook has set a status or a header that can not be sent
 */
export function applyContext(
  context: HookContext,
  status: number,
  reply: FastifyReply,
  read: (result: unknown) => unknown
): void {
  const data = read(context.dispatch === undefined ? context.result : context.dispatch) ?? null
  const headers = toHeaders(context, 'stream' in reply.raw)
  const otherwise = 'location' in headers ? 303 : data === null ? 204 : status
  reply.code(toStatus(context) ?? otherwise)
  if (headers !== none) {
    keepHeaders(reply)
    if ('content-type' in headers) resetEncoder(reply)
    reply.headers(headers)
  }
  reply.data = data
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

/** What is `undefined` or `null` is not sent. */
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
      // What can't be carried may be what a client has sent.
      const what = /^[\w-]+$/.test(name) ? `the header '${name}' to a value` : 'a header of a name'
      const message = `A hook of ${path}.${method} has set ${what} that HTTP can't carry`
      throw new GeneralError(message, undefined, { cause: error })
    }
    headers[name.toLowerCase()] = value
  }
  return headers
}

const isThere = <V>(value: V): value is NonNullable<V> => value !== undefined && value !== null

/** Notes the headers of a reply before the result sets its own. */
export function keepHeaders(reply: FastifyReply): void {
  const notes = notesOn(reply.request)
  notes.headersBefore ??= Object.fromEntries(
    // Fastify appends cookies to the list that it has.
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value])
  )
}

// Headers of a result say how the body of the result is to be read, and whether a client has it
// already: hooks and plugins of the host set them, too.
const ofResult = new Set(['content-encoding', 'etag', 'last-modified'])

/**
 * Removes the headers of a result: an error answer has those that middleware had set before the
 * call, but none that tells of another body.
 */
export function restoreHeaders(reply: FastifyReply): void {
  const { headersBefore: before } = notesOn(reply.request)
  for (const name of Object.keys(reply.getHeaders())) {
    if (reply.raw.headersSent || (before === undefined && !ofResult.has(name))) continue
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
  for (const [name, value] of Object.entries(before ?? {}))
    if (value !== undefined && !ofResult.has(name)) reply.header(name, value)
}

// RFC 9110, section 7.6.1: they apply to a single connection. HTTP/2 has none of them (RFC 9113,
// section 8.2.2).
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
