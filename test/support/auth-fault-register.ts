import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'

/** Starts an application with options of authentication, whatever they are, and ends it. @throws what the start throws */
export async function register(options: object): Promise<void> {
  const app = Fastify()
  try {
    await app.register(services)
    app.service('users', memory() as object)
    await app.register(authentication, options as AuthenticationOptions)
    await app.ready()
  } finally {
    await app.close()
  }
}
