import type { FastifyInstance } from 'fastify'
import type { Middleware } from 'fastify-services'
import { tell } from './control.js'

const closing = Symbol('closing')
type Waits = { [closing]: Promise<void> }

/** Remembers when the answer has been sent, or its client has left. */
export const remember: Middleware = async (request, reply) => {
  const gone = new Promise<void>((resolve) => reply.raw.once('close', resolve))
  Object.assign(request.feathers, { [closing]: gone })
}

/** Waits until the answer has been sent without what waits here, or the client has left. */
export async function wait(params: object): Promise<void> {
  tell()
  await (params as Waits)[closing]
}

/** How long the routes below `/late` may take: what waits there waits until that has passed. Those of `signals` must have begun by then. */
const patience = (url: string) => (url.includes('/signals/') ? 500 : 50)

/** Gives the routes below `/late` little time. */
export function hurry(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (/\/late\//.test(route.url)) route.handlerTimeout = patience(route.url)
  })
}
