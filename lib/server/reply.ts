import { validateHeaderName, validateHeaderValue } from 'node:http'
import encodeUrl from 'encodeurl'
import type { FastifyReply } from 'fastify'
import type { HookContext } from '../../types/fastify.js'
import { GeneralError } from '../core/errors.js'

/**
 * Puts the outcome of a call on the reply: status, headers and `reply.data` (wire contract: "Service result → response").
 *
 * @throws {GeneralError} when a hook has set a status or a header that can not be sent
 */
export function applyContext(context: HookContext, status: number, reply: FastifyReply): void {
  const data = context.dispatch === undefined ? context.result : context.dispatch
  const isEmpty = data === null || data === undefined
  const isRedirect = setHeaders(context, reply)
  reply.code(toStatus(context.http?.status) ?? (isRedirect ? 303 : isEmpty ? 204 : status))
  reply.data = data
}

function toStatus(status: unknown): number | undefined {
  if (status === undefined || (Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599))
    return status as number | undefined
  throw new GeneralError('A hook has set a status code that can not be sent')
}

/** Sets the headers of a context, and says whether there is a `Location` among them. */
function setHeaders({ http }: HookContext, reply: FastifyReply): boolean {
  if (http?.headers === undefined && http?.location === undefined) return false
  const headers = new Map(Object.entries(http.headers ?? {}))
  if (http.location !== undefined) headers.set('location', encodeUrl(http.location))
  let isRedirect = false
  for (const [name, value] of headers) {
    if (value === undefined) continue
    try {
      validateHeaderName(name)
      for (const item of [value].flat()) validateHeaderValue(name, item)
    } catch (error) {
      throw new GeneralError('A hook has set a header that can not be sent', undefined, { cause: error })
    }
    reply.header(name, value)
    isRedirect ||= name.toLowerCase() === 'location'
  }
  return isRedirect
}
