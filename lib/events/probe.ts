import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { callStateOf } from '../core/call-state.js'
import { clientOf } from '../core/http-call.js'

/** The headers and the address by which a caller is authenticated again in later calls. */
export interface CallerCredentials {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly remoteAddress: string
}

/** Headers about a single request, or about its response. */
const requestHeaders =
  /^(:.*|accept|accept-encoding|connection|content-.*|expect|if-.*|keep-alive|last-event-id|prefer|range|te|trailer|transfer-encoding|upgrade|x-events-call|x-service-method)$/

export function credentialsOf(request: FastifyRequest): CallerCredentials {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !requestHeaders.test(name)) headers[name] = value
  // The name of the host header in HTTP/2.
  const { ':authority': host } = request.headers
  if (typeof host === 'string') headers.host ??= host
  return { headers, remoteAddress: request.raw.socket.remoteAddress ?? '127.0.0.1' }
}

/** A `find` or `get` on behalf of a subscriber, with all guards and hooks. */
export interface Probe {
  readonly method: 'find' | 'get'
  /** Returns a result in place of the method. Without it, the method runs. */
  replaceMethod?(): unknown
  /** The params that the method got; `undefined` if the call did not reach it. */
  params: Readonly<Record<string, unknown>> | undefined
  /** The path of the service that was called. */
  path: string | undefined
  /** The fields that hooks leave in the result. `undefined`: all. */
  fields?: readonly string[] | undefined
  /** The fields that hooks bind to placeholders of the path, by placeholder. */
  parentFields?: Readonly<Record<string, string>> | undefined
}

interface ProbeRequest {
  readonly url: string
  readonly credentials: CallerCredentials
  readonly signal?: AbortSignal | undefined
  /** The query as JSON, to send it by QUERY. */
  readonly body?: object | undefined
}

const ticketHeader = 'x-services-question'
// No client can guess a ticket.
const secret = randomUUID()
const openProbes = new Map<string, Probe>()
let tickets = 0

/** Sends the request of a probe. Its ticket works once, for the call of this request only. */
export async function sendProbe(
  app: FastifyInstance,
  probe: Probe,
  { url, credentials, signal, body }: ProbeRequest
): Promise<Awaited<ReturnType<FastifyInstance['inject']>>> {
  tickets += 1
  const ticket = `${secret}${tickets}`
  openProbes.set(ticket, probe)
  const { headers, remoteAddress } = credentials
  try {
    return await app.inject({
      method: body === undefined ? 'GET' : ('QUERY' as 'GET'),
      url,
      headers: { ...headers, accept: 'application/json', [ticketHeader]: ticket },
      remoteAddress,
      ...(body && { payload: body }),
      ...(signal && { signal })
    })
  } finally {
    openProbes.delete(ticket)
  }
}

/**
 * Returns the probe that a call was made for, and records the params in it. Further calls that
 * hooks make with these params are ordinary calls.
 */
export function takeProbe(context: HookContext): Probe | undefined {
  if (openProbes.size === 0) return undefined
  const request = clientOf(context)?.request as FastifyRequest | undefined
  const ticket = String(request?.headers[ticketHeader])
  const probe = openProbes.get(ticket)
  if (probe?.method !== context.method) return undefined
  openProbes.delete(ticket)
  probe.params = context.params as Probe['params']
  probe.path = context.path
  probe.fields = callStateOf(context).answeredFields
  probe.parentFields = callStateOf(context).parentFields
  return probe
}
