import type closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'

/** The applications of this process that listen, with the time that each has for its shutdown. */
const delays = new Map<FastifyInstance, number>()
let attached: { uninstall(): void } | undefined
let isStopping = false

/**
 * Closes the application on a signal or an uncaught error, and then ends the process. It listens
 * for them from `listen()` until `close()`, so `app.inject()` attaches nothing to the process.
 */
export function closeOnSignals(app: FastifyInstance, grace: typeof closeWithGrace, delay: number): void {
  app.addHook('onListen', async () => {
    delays.set(app, delay)
    attach(grace)
  })
  app.addHook('onClose', async () => {
    delays.delete(app)
    attach(grace)
  })
}

/**
 * Attaches the listeners to the process anew. All applications share them: the first one that has
 * closed would otherwise end the process while another still answers.
 */
function attach(grace: typeof closeWithGrace): void {
  if (isStopping) return
  attached?.uninstall()
  const [app] = delays.keys()
  attached =
    app &&
    grace({ delay: Math.max(...delays.values()), logger: loggerOf(app) }, async (cause) => {
      isStopping = true
      const isFailure = 'err' in cause
      if (isFailure) loggerOf(app).error(cause.err, 'The server shuts down because of an uncaught error')
      await Promise.all([...delays.keys()].map((listening) => listening.close()))
      // The library takes the `undefined` of `Promise.reject()` for no error.
      if (isFailure) process.exit(1)
    })
}

/** Without the option `logger`, `app.log` is silent and has no level. */
const loggerOf = ({ log }: FastifyInstance) => ((log.level as unknown) === undefined ? console : log)
