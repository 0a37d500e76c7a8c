import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

// How long the rest of a body may take to arrive, in milliseconds.
const patience = 3000

/**
 * Stops the process on SIGTERM and SIGINT: calls in flight are answered, and then connections are closed that wait for no answer. Half a body
 * is no call yet: it is waited for a moment.
 * After `timeout` milliseconds it ends whatever is open still, with the exit code 1. A second signal changes nothing.
 */
export function stopOnSignals(app: FastifyInstance, timeout: number): void {
  const open = new Set<IncomingMessage>()
  let isStopping = false
  app.server.on('request', (request, response) => {
    open.add(request)
    response.once('close', () => open.delete(request))
  })

  // Fastify waits for connections on which no request has ended: half of one, or none at all.
  const closeSilent = (isLate: boolean) => {
    if (isLate) for (const { complete, socket } of open) if (!complete) socket.destroy()
    if (open.size === 0) app.server.closeAllConnections()
  }

  const stop = async () => {
    if (isStopping) return
    isStopping = true
    // The timers do not keep the process running when nothing else does.
    const end = performance.now() + Math.min(patience, timeout / 2)
    setInterval(() => closeSilent(performance.now() > end), 100).unref()
    setTimeout(giveUp, timeout).unref()
    try {
      await app.close()
    } catch (error) {
      console.error('The atlas did not stop well:', error)
      process.exitCode = 1
    }
    // The driver leaves connections open whose log-in has failed: they would keep the process.
    setTimeout(() => process.exit(), 1000).unref()
  }

  const giveUp = () => {
    const calls = open.size === 1 ? '1 call' : `${open.size} calls`
    // Of a client that has left, for example.
    const cut = open.size === 0 ? 'while the database is still at work, and no call waits' : `with ${calls} unanswered`
    console.error(`The atlas has not stopped within ${timeout} ms: it ends ${cut}`)
    process.exit(1)
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
}
