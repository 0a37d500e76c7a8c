import Fastify, { type FastifyServerOptions } from 'fastify'
import services, {
  type AroundHook,
  type HookContext,
  type HookOptions,
  type RegisteredService,
  type Service,
  type ServicesOptions
} from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { request } from './host.js'

export type Thing = Record<string, unknown>
export type Things = RegisteredService<
  Required<Service<unknown>> & { archive(data: unknown, params?: object): Promise<unknown> }
>

/** A record of the tests; `secret` and `pin` are protected. */
export const record = (id = 1) => ({ id, name: 'Ada', secret: 's3cret', pin: '1234' })
export const open = (id = 1) => ({ id, name: 'Ada' })

/** A record with a property that throws. */
export const broken = (name = 'name') =>
  Object.defineProperty({ id: 1 }, name, {
    enumerable: true,
    get() {
      throw new Error('s3cret')
    }
  })

/** A hook that sets something on its context; around a call it does not go on. */
export const put = (values: object) => async (context: HookContext) => void Object.assign(context, values)

/** A hook that looks at a call that is done. */
export const afterwards =
  (look: (context: HookContext) => unknown): AroundHook =>
  async (context, next) => {
    await next()
    look(context as HookContext)
  }

export interface ProtectedOptions {
  /** What every method answers. */
  answer?: (method: string) => unknown
  /** Hooks of the service, `'protect'` in their list stands for the one under test. */
  hooks?: HookOptions
  plugin?: ServicesOptions
  server?: FastifyServerOptions
}

/** An application with a service at `/things` whose answers are protected, closed when the test ends. */
export async function createProtected(t: Test, { answer = () => record(), hooks, plugin, server }: ProtectedOptions) {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(services, plugin ?? {})
  const method = (name: string) => async () => answer(name)
  const names = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
  const object = Object.fromEntries(names.map((name) => [name, method(name)]))
  const protection = { around: { all: [protect('secret', 'pin')] } }
  app.service('things', object, { methods: names, hooks: (hooks ?? protection) as object })
  const send = (verb: string, url: string, custom?: string) =>
    request(app, verb, url, {
      ...(custom !== undefined && { headers: { 'x-service-method': custom } }),
      ...(['POST', 'PUT', 'PATCH'].includes(verb) && { payload: {} })
    })
  return { app, send, things: app.service('things') as unknown as Things }
}
