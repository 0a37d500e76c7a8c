import Fastify from 'fastify'
import services from 'fastify-services'

const six = () => ({
  find: async () => [],
  get: async (id: string) => ({ id }),
  create: async (data: unknown) => data,
  update: async (_id: string, data: unknown) => data,
  patch: async (_id: string, data: unknown) => data,
  remove: async (id: string) => ({ id })
})

/** Starts an application with so many services of six methods. */
export async function start(count: string | undefined): Promise<() => Promise<unknown>> {
  const app = Fastify()
  await app.register(services)
  for (let i = 0; i < Number(count); i++) app.service(`many-${i}`, six())
  await app.ready()
  return async () => app
}
