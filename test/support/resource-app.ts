import Fastify, { type InjectOptions } from 'fastify'
import services, { type ServiceOptions } from 'fastify-services'
import type { Test } from 'tap'

type Sent = Pick<InjectOptions, 'headers'> & { method?: string; url?: string; payload?: unknown }

/** A service at `/things` that answers what it gets, or `result`, which can be changed, and what sends it requests. */
export async function createEcho(t: Test, schema: unknown, result?: unknown) {
  let answer = result
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const echo = async (...args: unknown[]) => answer ?? args.at(-2)
  const service = {
    // As an adapter of a database that takes lists.
    options: { multi: true },
    find: async ({ query }: { query?: object }) => answer ?? [query],
    get: async () => answer,
    create: echo,
    update: echo,
    patch: echo
  }
  app.service('things', service as object, { schema: schema as NonNullable<ServiceOptions['schema']> })
  const send = async ({ method = 'GET', url = '', payload, headers }: Sent) => {
    const request = { method: method as 'GET', url: `/things${url}`, ...(headers && { headers }) }
    const response = await app.inject({ ...request, ...(payload !== undefined && { payload: payload as object }) })
    return [response.statusCode, response.json().message ?? response.json()]
  }
  const setResult = (value: unknown) => {
    answer = value
  }
  return { app, send, setResult, post: (payload: unknown) => send({ method: 'POST', payload }) }
}
