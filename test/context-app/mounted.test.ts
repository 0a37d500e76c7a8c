import { feathers } from '@feathersjs/feathers'
import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'
import { createApplications } from '../../lib/feathers/application.js'

type Any = Record<string, unknown> & { [name in 'get' | 'set']: (...args: unknown[]) => unknown }

t.test('with an application of Feathers behind it, hooks get the members that the instance lacks', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const backing = feathers() as unknown as Any & { emit(event: string, user: unknown): void }
  backing.defaultAuthentication = function (path: string) {
    return [this === backing, path]
  }
  backing.host = 'here'
  const application = createApplications({ backing: backing as never, mixins: [] })(app) as Record<
    string,
    (...args: unknown[]) => unknown
  >

  application.set?.('port', 1)
  backing.set('path', '/')
  t.same([backing.get('port'), application.get?.('path')], [1, '/'], 'both have the settings')
  t.equal(application.host as unknown, 'here')
  t.ok('host' in application)
  t.same(application.defaultAuthentication?.('a'), [true, 'a'])
  const heard: unknown[] = []
  application.on?.('login', (user: unknown) => heard.push(user))
  backing.emit('login', 1)
  t.same(heard, [1])
  t.throws(() => application.channel?.(), { message: /no 'channel'/ }, 'what it lacks, too, is missing')
})
