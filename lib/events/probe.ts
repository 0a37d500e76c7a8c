import type { FastifyInstance } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { callStateOf } from '../core/call-state.js'
import { type CallerCredentials, Tickets } from '../shared/caller-requests.js'

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

const tickets = new Tickets<Probe>('x-services-question')

/** Sends the request of a probe. Its ticket works once, for the call of this request only. */
export async function sendProbe(
  app: FastifyInstance,
  probe: Probe,
  { url, credentials, signal, body }: ProbeRequest
): Promise<Awaited<ReturnType<FastifyInstance['inject']>>> {
  const { headers, remoteAddress } = credentials
  return tickets.send(probe, (ticket) =>
    app.inject({
      method: body === undefined ? 'GET' : ('QUERY' as 'GET'),
      url,
      headers: { ...headers, accept: 'application/json', ...ticket },
      remoteAddress,
      ...(body && { payload: body }),
      ...(signal && { signal })
    })
  )
}

/**
 * Returns the probe that a call was made for, and records the params in it. Further calls that
 * hooks make with these params are ordinary calls.
 */
export function takeProbe(context: HookContext): Probe | undefined {
  const probe = tickets.take(context, ({ method }) => method === context.method)
  if (probe === undefined) return undefined
  probe.params = context.params as Probe['params']
  probe.path = context.path
  probe.fields = callStateOf(context).answeredFields
  probe.parentFields = callStateOf(context).parentFields
  return probe
}
