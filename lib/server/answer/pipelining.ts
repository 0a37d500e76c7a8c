import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Response = FastifyReply['raw']

/** Responses that wait for their turn. A connection has one listener, however many wait on it. */
const waiting = new WeakMap<Socket, Set<Response>>()

/**
 * Ends a response that waits behind others on its connection (HTTP/1 pipelining) when the
 * connection closes. Node notifies only the response whose turn it is: the others would keep their
 * resources for ever.
 */
export function endWithConnection({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): void {
  if (raw.socket !== null) return
  // Hooks of the application may have waited until the client had left.
  if (socket.destroyed) return void raw.destroy()
  const responses = waiting.get(socket) ?? endAllOnClose(socket)
  responses.add(raw)
  raw.once('close', () => responses.delete(raw))
}

function endAllOnClose(socket: Socket): Set<Response> {
  const responses = new Set<Response>()
  waiting.set(socket, responses)
  socket.once('close', () => {
    for (const raw of responses) {
      // Node ends a response whose turn has come.
      if (raw.socket !== null) continue
      raw.destroy()
      raw.emit('close')
    }
  })
  return responses
}
