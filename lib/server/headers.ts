import type { FastifyReply } from 'fastify'

type Headers = Record<string, number | string | string[] | undefined>

const stored = Symbol('headers')
/** The decoration of replies by which the headers from before the result are kept. */
export const headersBefore = stored as never
type Stored = FastifyReply & { [stored]: Headers | null }

/** Keeps the headers that there are before the result sets some. */
export function keepHeaders(reply: FastifyReply): void {
  const own = reply as Stored
  own[stored] ??= Object.fromEntries(
    // Fastify adds cookies to the list that is there.
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value])
  )
}

/** Takes the headers of a result away: an error answer has those that middleware had set before the call. */
export function restoreHeaders(reply: FastifyReply): void {
  const { [stored]: before } = reply as Stored
  if (before === null || before === undefined || reply.raw.headersSent) return
  for (const name of Object.keys(reply.getHeaders())) {
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
  for (const [name, value] of Object.entries(before)) if (value !== undefined) reply.header(name, value)
}

// RFC 9110, section 7.6.1: they speak of one connection. HTTP/2 knows none of them (RFC 9113, section 8.2.2).
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

/** Whether a header speaks of a connection, and so must not be handed on. */
export const isHopByHop = (name: string) => hopByHop.has(name.toLowerCase())
