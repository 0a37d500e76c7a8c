import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/** A server of Node, as far as its timeouts go. That of HTTP/2 has none of the two. */
interface Timed {
  readonly requestTimeout?: number
  readonly headersTimeout?: number
}

const told = new WeakSet<object>()

/**
 * Warns, once for a server, of a `requestTimeout` that lets a body arrive for longer: Node ends half a header after the shorter of it and
 * `headersTimeout`, and half a body after the longer.
 */
export function checkTimeouts(server: FastifyInstance['server'], log: FastifyBaseLogger): void {
  const { requestTimeout = 0, headersTimeout = 0 }: Timed = server
  if (requestTimeout <= 0 || headersTimeout <= requestTimeout || told.has(server)) return
  told.add(server)
  log.warn(
    `A request may take ${headersTimeout} ms to arrive, not the ${requestTimeout} ms of \`requestTimeout\`: Node ends half a body after the longer of it and \`headersTimeout\`. Set both: Fastify({ requestTimeout: ${requestTimeout}, http: { headersTimeout: ${requestTimeout} } }), with TLS in \`https\``
  )
}
