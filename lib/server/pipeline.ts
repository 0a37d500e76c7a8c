import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Raw = FastifyReply['raw']

// One listener for each connection, however many requests wait on it.
const waiting = new WeakMap<Socket, Set<Raw>>()

/**
 * Ends a response that waits behind others on its connection (pipelining in HTTP/1) when the connection closes. Node
 * notifies only the response whose turn it is: the others would hold what they have for ever.
 */
export function endWithConnection({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): void {
  if (raw.socket !== null) return
  const responses = waiting.get(socket) ?? watch(socket)
  responses.add(raw)
  raw.once('close', () => responses.delete(raw))
}

function watch(socket: Socket): Set<Raw> {
  const responses = new Set<Raw>()
  waiting.set(socket, responses)
  socket.once('close', () => {
    for (const raw of responses) {
      // Node ends a response that has got its turn by now.
      if (raw.socket !== null) continue
      raw.destroy()
      raw.emit('close')
    }
  })
  return responses
}
