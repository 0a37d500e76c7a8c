import Fastify, { type FastifyInstance } from 'fastify'
import services, { type ServicesOptions } from 'fastify-services'
import type { Test } from 'tap'

export type Caller = { readonly id: number; readonly [name: string]: unknown }
export type Answer = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }
export type Send = (
  verb: string,
  url: string,
  options?: { as?: Caller | undefined; body?: unknown; headers?: Record<string, string> }
) => Promise<Answer>

/** An application to whose services the header `x-user` says who calls, and a function that sends requests to it. */
export async function createApp(t: Test, add: (app: FastifyInstance) => unknown, options: ServicesOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async (request) => {
    const { 'x-user': user } = request.headers
    if (typeof user === 'string') request.feathers = { user: JSON.parse(user), authenticated: true }
  })
  await app.register(services, { errorHandler: { html: false, logger: false }, ...options })
  await add(app)
  await app.ready()
  const send: Send = async (verb, url, { as, body, headers = {} } = {}) => {
    const response = await app.inject({
      method: verb as 'GET',
      url,
      headers: {
        ...(as && { 'x-user': JSON.stringify(as) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body !== undefined && { payload: JSON.stringify(body) })
    })
    return { status: response.statusCode, body: response.body === '' ? undefined : response.json() }
  }
  return { app, send }
}
