import Fastify, { type FastifyInstance } from 'fastify'
import services, { type RegisteredService, type ServiceOptions } from '../../index.js'
import { createClient, rest } from '../client/index.js'

type MethodsByName = Record<string, (...args: readonly unknown[]) => Promise<unknown>>

/** One way to call a service: over HTTP, or in the server. */
export interface Door {
  /** @throws an error in its JSON form */
  call(method: string, ...args: readonly unknown[]): Promise<unknown>
}

const createDoor = (service: MethodsByName): Door => ({
  async call(method, ...args) {
    try {
      return await service[method]?.(...args)
    } catch (error) {
      throw JSON.parse(JSON.stringify(error))
    }
  }
})

/** A service at `/messages` of a server of its own. */
export interface Mounted {
  readonly app: FastifyInstance
  readonly service: RegisteredService<MethodsByName>
  readonly doors: readonly [Door, Door]
}

export async function mount(object: object, options: ServiceOptions<object> = {}): Promise<Mounted> {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(services)
  const service = app.service('messages', object, options) as RegisteredService<MethodsByName>
  const client = createClient().configure(rest(await app.listen({ port: 0, host: '127.0.0.1' })).fetch(fetch))
  const overHttp: unknown = client.service('messages')
  return { app, service, doors: [createDoor(overHttp as MethodsByName), createDoor(service)] }
}
