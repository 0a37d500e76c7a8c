import type { FastifyInstance } from 'fastify'

/**
 * Stops the process on SIGTERM and SIGINT: calls in flight are answered, and then connections are closed that wait for no answer.
 * After `timeout` milliseconds it ends whatever is open still, with the exit code 1. A second signal changes nothing.
 */
export function stopOnSignals(app: FastifyInstance, timeout: number): void {
  let answering = 0
  let isStopping = false
  app.server.on('request', (_request, response) => {
    answering++
    response.once('close', () => {
      answering--
    })
  })

  // Fastify waits for connections on which no request has ended: half of one, or none at all.
  const closeSilent = () => {
    if (answering === 0) app.server.closeAllConnections()
  }

  const stop = async () => {
    if (isStopping) return
    isStopping = true
    // Neither keeps the process running when nothing else does.
    setInterval(closeSilent, 100).unref()
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
    const calls = answering === 1 ? '1 call' : `${answering} calls`
    // Of a client that has left, for example.
    const cut = answering === 0 ? 'while the database is still at work, and no call waits' : `with ${calls} unanswered`
    console.error(`The atlas has not stopped within ${timeout} ms: it ends ${cut}`)
    process.exit(1)
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
}
