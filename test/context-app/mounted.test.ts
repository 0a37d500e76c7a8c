import { feathers } from '@feathersjs/feathers'
import Fastify from 'fastify'
import services from 'fastify-services'
import mount, { applicationOf } from 'fastify-services/feathers'
import t from 'tap'

type Any = Record<string, unknown> & { [name in 'get' | 'set']: (...args: unknown[]) => unknown }

t.test('with an application of Feathers behind it, hooks get the members that the instance lacks', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const backing = feathers() as unknown as Any & { emit(event: string, user: unknown): void }
  backing.defaultAuthentication = function (path: string) {
    return [this === backing, path]
  }
  backing.isSelf = function () {
    return this === backing
  }
  backing.host = 'here'
  const hidden = Symbol('hidden')
  Object.assign(backing, { [hidden]: 1 })
  await app.register(mount, { app: backing as never })
  const application = applicationOf(app) as object as Record<string, (...args: unknown[]) => unknown>

  application.set?.('port', 1)
  backing.set('path', '/')
  t.same([backing.get('port'), application.get?.('path')], [1, '/'], 'both have the settings')
  t.equal(application.host as unknown, 'here')
  t.ok('host' in application)
  t.same(application.defaultAuthentication?.('a'), [true, 'a'])
  t.equal(application[hidden as never], undefined, 'what it keeps under a symbol is its own')
  t.equal(application.isSelf?.(), true, 'its methods may have private fields')
  const heard: unknown[] = []
  application.on?.('login', (user: unknown) => heard.push(user))
  backing.emit('login', 1)
  t.same(heard, [1])
  t.throws(() => application.channel?.(), { message: /no 'channel'/ }, 'what it lacks, too, is missing')
})

t.test('what else a function of it is, it stays for hooks', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  class Mailer {
    static #count = 0
    readonly name = 'mailer'
    static next() {
      Mailer.#count++
      return Mailer.#count
    }
  }
  const knex = Object.assign((table: string) => `select from ${table}`, { raw: (text: string) => text })
  const backing = Object.assign(feathers(), {
    knex,
    Mailer,
    url(this: { get(name: string): unknown }, path: string) {
      return `${this.get('host')}${path}`
    }
  })
  backing.set('host' as never, 'here' as never)
  await app.register(mount, { app: backing as never })
  const hooked = applicationOf(app) as object as typeof backing
  t.equal(hooked.knex, hooked.knex)
  t.same([hooked.knex('users'), hooked.knex.raw('select 1')], ['select from users', 'select 1'])
  t.equal(hooked.Mailer, Mailer)
  t.same([hooked.Mailer.next(), new hooked.Mailer() instanceof Mailer], [1, true])
  t.equal(hooked.url('/a'), 'here/a')
  t.equal(hooked.url.call({ get: () => 'there' }, '/a'), 'there/a', 'another `this` is as given')
  t.equal(hooked.on, hooked.on)
})
