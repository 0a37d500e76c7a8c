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

// They say how the body of the result is to be read, and whether a client has it already: hooks and plugins of the host set them, too.
const ofResult = new Set(['content-encoding', 'etag', 'last-modified'])

/** Removes the headers of a result: an error answer has those that middleware had set before the call, but none that tells of another body. */
export function restoreHeaders(reply: FastifyReply): void {
  const { [headersBefore]: before } = reply as Stored
  for (const name of Object.keys(reply.getHeaders())) {
    if (reply.raw.headersSent || (before === undefined && !ofResult.has(name))) continue
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
  for (const [name, value] of Object.entries(before ?? {}))
    if (value !== undefined && !ofResult.has(name)) reply.header(name, value)
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
