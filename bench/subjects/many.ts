import Fastify from 'fastify'
import services from 'fastify-services'
import { sixMethods } from '../methods.js'

/** Starts an application with so many services of six methods. */
export async function start(count: string | undefined): Promise<() => Promise<unknown>> {
  const app = Fastify()
  await app.register(services)
  for (let i = 0; i < Number(count); i++) app.service(`many-${i}`, sixMethods())
  await app.ready()
  return async () => app
}
