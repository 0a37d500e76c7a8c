import { validateHeaderName, validateHeaderValue } from 'node:http'
import encodeUrl from 'encodeurl'
import type { FastifyReply } from 'fastify'
import type { HookContext } from '../../types/fastify.js'
import type { Http } from '../../types/hooks.js'
import { GeneralError } from '../core/errors.js'
import { shown } from '../core/shown.js'
import { isHopByHop, keepHeaders } from './headers.js'

/**
 * Puts the outcome of a call on the reply: status, headers and `reply.data` (docs/http.md#answers).
 *
 * @throws {GeneralError} when a hook has set a status or a header that can not be sent
 */
export function applyContext(context: HookContext, status: number, reply: FastifyReply): void {
  const data = (context.dispatch === undefined ? context.result : context.dispatch) ?? null
  const headers = toHeaders(context, 'stream' in reply.raw)
  const otherwise = 'location' in headers ? 303 : data === null ? 204 : status
  reply.code(toStatus(context) ?? otherwise)
  if (headers !== none) {
    keepHeaders(reply)
    reply.headers(headers)
  }
  reply.data = data
}

function toStatus({ http, path, method }: HookContext): number | undefined {
  const status: unknown = http?.status
  if (status === undefined) return undefined
  if (isSendable(status)) return status
  throw new GeneralError(
    `A hook of ${path}.${method} has set the status to ${shown(status)}: it must be a whole number from 200 to 599`
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
