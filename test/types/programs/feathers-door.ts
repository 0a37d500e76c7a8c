import { hooks, passwordHash } from '@feathersjs/authentication-local'
import type { HookContext as FeathersContext } from '@feathersjs/feathers'
import { resolve } from '@feathersjs/schema'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import feathers, { applicationOf } from 'fastify-services/feathers'
import { same } from './same.js'

declare module 'fastify-services/feathers' {
  interface Settings {
    paginate: { default: number; max: number }
  }
}

interface User {
  id: number
  password: string
}
class Users {
  async create(data: Partial<User>): Promise<User> {
    return { id: 1, password: '', ...data }
  }
}

// Hooks that are typed for Feathers, and ours.
const theirs = async ({ app }: FeathersContext) => void app.get('paginate')
const ours = ({ app }: HookContext) => {
  same<ReturnType<typeof app.inject>, ReturnType<typeof host.inject>>(true)
  const paginate = app.get('paginate')
  same<typeof paginate, { default: number; max: number }>(true)
  const other = app.get('other')
  same<typeof other, unknown>(true)
  app.set('paginate', { default: 1, max: 2 }).set('other', 1)
  app.hooks({ before: { all: [theirs] } })
  app.get('/path', async () => 'a route')
}
const hash = resolve<User, FeathersContext>({ password: passwordHash({ strategy: 'local' }) })

const host = Fastify()
await host.register(services, { hooks: { before: { all: [theirs, ours] } } })
await host.register(feathers, { settings: { paginate: { default: 10, max: 50 }, more: true } })
await host.register(feathers, { settings: (app: { set(name: string, value: unknown): unknown }) => app.set('a', 1) })
const application = applicationOf(host)
const paginate = application.get('paginate')
same<typeof paginate, { default: number; max: number }>(true)
application
  .configure((app: { get(name: string): unknown }) => app.get('a'))
  .mixins.push((service, path) => service.on(path, () => {}))
application.service('users', new Users(), {
  hooks: {
    before: { create: [hooks.hashPassword('password'), ours, theirs] },
    after: { all: [hooks.protect('password')] }
  }
})
void hash

// @ts-expect-error it is a number
application.set('paginate', { default: '1', max: 1 })
