import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DispatchFunc, InjectOptions, Response } from 'light-my-request'
import { once } from '../core/objects.js'

/** By what a caller is authenticated again in later requests. */
export interface CallerCredentials {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly remoteAddress: string
  readonly isEncrypted: boolean
}

/** Headers about a single request, or about its response. */
const requestHeaders =
  /^(:.*|accept|accept-encoding|connection|content-.*|expect|idempotency-key|if-.*|keep-alive|last-event-id|mcp-.*|prefer|range|te|trailer|transfer-encoding|upgrade|x-events-call|x-service-method)$/

/**
 * Returns what identifies the caller of a request. All other headers are kept, since an application
 * may read its tenant or an API key from any of them.
 */
export function credentialsOf(request: FastifyRequest): CallerCredentials {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !requestHeaders.test(name)) headers[name] = value
  // The name of the host header in HTTP/2.
  const { ':authority': host } = request.headers
  if (typeof host === 'string') headers.host ??= host
  const { socket } = request.raw
  return {
    headers,
    remoteAddress: socket.remoteAddress ?? '127.0.0.1',
    isEncrypted: Reflect.get(socket, 'encrypted') === true
  }
}

// Loaded when it is needed: it is large. `import()` itself is slow, also the second time.
const loadInject = once(() => import('light-my-request'))

/**
 * Sends a request to a route of the server as a caller, without a network.
 *
 * @param prepare sets state of the raw request, which no client can do
 */
export async function requestAs(
  { headers, remoteAddress, isEncrypted }: CallerCredentials,
  app: FastifyInstance,
  options: InjectOptions & { readonly url: string },
  prepare: DispatchFunc
): Promise<Response> {
  const { inject } = await loadInject()
  const dispatch: DispatchFunc = (raw, response) => {
    Object.assign(raw.socket, { encrypted: isEncrypted })
    prepare(raw, response)
    app.routing(raw, response)
  }
  return inject(dispatch, { ...options, remoteAddress, headers: { ...headers, ...options.headers } })
}
