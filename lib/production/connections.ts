import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const checkInterval = 100
// How long the rest of a body may take to arrive.
const bodyTime = 3000

/**
 * Closes connections that would delay `app.close()`: Fastify waits for those that have sent nothing
 * or half a header. Half a body has three seconds to arrive, and other calls are answered.
 */
export function closeConnections(app: FastifyInstance): void {
  // A server of HTTP/2 has no `closeAllConnections`.
  const server: Omit<Server, 'closeAllConnections'> & Partial<Server> = app.server
  const sockets = collect<Socket>()
  const sessions = collect<ServerHttp2Session>()
  const calls = new Set<IncomingMessage>()
  server.on('connection', sockets.add)
  server.on('session', sessions.add)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    calls.add(request)
    response.once('close', () => calls.delete(request))
  })

  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    // A session ends after its last answer. Node 24 and later closes it by itself.
    for (const session of sessions.open) session.close()
    const bodyEnd = performance.now() + bodyTime
    timer = setInterval(() => {
      // With TLS, the server knows a connection after the handshake.
      for (const socket of sockets.open) if (socket.bytesRead === 0) socket.destroy()
      if (performance.now() > bodyEnd) for (const call of calls) if (isArriving(call)) call.socket.destroy()
      if (calls.size === 0) server.closeAllConnections?.()
    }, checkInterval).unref()
  })
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Whether something waits for more of the body. With HTTP/2, a GET is never `complete`, but nothing reads it. */
const isArriving = ({ complete, readableFlowing }: IncomingMessage) => !complete && readableFlowing !== null

function collect<Closable extends { once(event: 'close', listener: () => void): unknown }>() {
  const open = new Set<Closable>()
  const add = (closable: Closable) => {
    open.add(closable)
    closable.once('close', () => open.delete(closable))
  }
  return { open, add }
}
