import type { FastifyInstance, InjectOptions } from 'fastify'
import { toWebHeaders } from '../shared/web-headers.js'

/**
 * Creates a `fetch` that asks an application without a network, for clients in tests. Answers come
 * as a whole, so it is not for streams of events.
 *
 * @example
 * const client = createClient<Services>().configure(rest('http://localhost').fetch(injectFetch(app)))
 */
export function injectFetch(app: FastifyInstance): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    const response = await app.inject({
      method: request.method as NonNullable<InjectOptions['method']>,
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      ...(body !== undefined && { payload: body })
    })
    // A status without a body must not have one.
    const isEmpty = [204, 205, 304].includes(response.statusCode)
    return new Response(isEmpty ? null : new Uint8Array(response.rawPayload), {
      status: response.statusCode,
      headers: toWebHeaders(response.headers)
    })
  }
}
