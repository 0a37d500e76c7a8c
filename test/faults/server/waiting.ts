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
