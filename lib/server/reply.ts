import { validateHeaderName, validateHeaderValue } from 'node:http'
import encodeUrl from 'encodeurl'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter, HookContext, Middleware } from '../../types/fastify.js'
import { GeneralError } from '../core/errors.js'
import { runMiddleware } from './middleware.js'

/**
 * A context as the answer to a request (wire contract: "Service result → response"): status and headers, then the middleware that
 * comes after the call, then the formatter.
 *
 * @throws {GeneralError} when a hook has set a status or a header that HTTP does not know
 */
export async function respond(
  context: HookContext,
  status: number,
  request: FastifyRequest,
  reply: FastifyReply,
  after: readonly Middleware[],
  formatter: Formatter
): Promise<unknown> {
  const data = context.dispatch === undefined ? context.result : context.dispatch
  const isRedirect = setHeaders(context, reply)
  reply.code(toStatus(context.http?.status) ?? (isRedirect ? 303 : (data ?? null) === null ? 204 : status))
  reply.data = data
  if (await runMiddleware(after, request, reply)) return reply
  const payload = formatter(request, reply)
  // As in Fastify's handlers: what is no promise and returns nothing sends by itself, sooner or later.
  return payload === undefined && reply.data != null ? reply : payload
}

function toStatus(status: unknown): number | undefined {
  if (status === undefined || (Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599)) return status as number | undefined
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

