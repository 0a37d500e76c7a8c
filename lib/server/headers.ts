import type { FastifyReply } from 'fastify'

// Few replies have it: as a decoration it would cost all of them.
const headersBefore = Symbol('headersBefore')
type Stored = FastifyReply & { [headersBefore]?: Record<string, number | string | string[] | undefined> }

/** Notes the headers of a reply before the result sets its own. */
export function keepHeaders(reply: FastifyReply): void {
  const own = reply as Stored
  own[headersBefore] ??= Object.fromEntries(
    // Fastify appends cookies to the list that it has.
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value])
  )
}

/** Removes the headers of a result: an error answer has those that middleware had set before the call. */
export function restoreHeaders(reply: FastifyReply): void {
  const { [headersBefore]: before } = reply as Stored
  if (before === undefined || reply.raw.headersSent) return
  for (const name of Object.keys(reply.getHeaders())) {
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
  for (const [name, value] of Object.entries(before)) if (value !== undefined) reply.header(name, value)
}

// RFC 9110, section 7.6.1: they apply to a single connection. HTTP/2 has none of them (RFC 9113, section 8.2.2).
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
