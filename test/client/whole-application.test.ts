import { createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { createFetch, outcomes, shown } from './outcome.js'

type Methods = Record<string, (...args: unknown[]) => unknown>

const { library } = createFetch(({ method, url }) => Response.json({ is: `${method} ${url}` }))
const connect = (base = 'http://a') => rest(base).fetch(library)

t.test('services of an application: which are there, and which are refused', async (t) => {
  const ownService = {
    find: async () => 'found',
    odd: async (data: unknown) => ['odd', data],
    text: 'its own',
    iterate: 1
  }
  const rows: Record<string, () => unknown> = {
    'without a connection': () => createClient().service('/things/'),
    'the same service': () => {
      const app = createClient().configure(connect())
      return [app.service('things') === app.service('/things/'), (app.service('a') as unknown) === app.service('b')]
    },
    'use before service': () => {
      const app = createClient().configure(connect())
      return app.use('/things/', ownService) === app && (app.service('things') as unknown as Methods).find?.()
    },
    'use after service': () => {
      const app = createClient().configure(connect())
      app.service('/a/b/')
      return app.use('a/b/', ownService)
    },
    'use twice': () => createClient().use('things', ownService).use('/things', ownService),
    'use without a connection': () =>
      (createClient().use('x', connect('http://b').service('things')).service('x') as unknown as Methods).get?.(1),
    'methods of an object': () => {
      const app = createClient().use('own', ownService, { methods: ['odd'] })
      const service = app.service('own') as unknown as Methods & { text: string; iterate: unknown }
      return outcomes({ odd: 0, find: 0, get: 0, missing: 0 }, (_, name) => service[name]?.({ a: 1 })).then((all) => ({
        ...all,
        text: service.text,
        iterate: service.iterate
      }))
    },
    'an object without named methods': () => {
      const service = createClient().use('own', ownService).service('own') as unknown as Methods
      return [typeof service.odd, typeof service.unknown, Object.keys(service)]
    },
    'methods that an object lacks': () =>
      (
        createClient()
          .use('own', ownService, { methods: ['lacking'] })
          .service('own') as unknown as Methods
      ).lacking?.(),
    'two connections': () => createClient().configure(connect()).configure(connect('http://b')),
    'a connection in two applications': () => {
      const connection = connect()
      createClient().configure(connection)
      return createClient().configure(connection)
    },
    'what a connection sets': () => {
      const connection = connect()
      const app = createClient().configure(connection) as unknown as {
        connection: unknown
        rest: unknown
        mixins: unknown
      }
      return [app.connection === connection, app.rest === library, app.mixins, shown({ ...connection })]
    },
    'mixins of Feathers': () => {
      const mixins: unknown[] = ['of Feathers']
      const service = connect().service('x')
      connect()({ mixins })
      ;(mixins[0] as (service: object, path: string, options: object) => void)(service, 'x', {
        methods: ['one', 'two']
      })
      ;(mixins[0] as (service: object, path: string, options: object) => void)(ownService, 'x', { methods: ['one'] })
      return [mixins.length, Object.keys(service).filter((name) => /one|two/.test(name)), 'one' in ownService]
    },
    settings: () => {
      const app = createClient()
      return [
        app.get('a') ?? 'undefined',
        app.set('a', 0) === app,
        app.get('a'),
        app.set('a', null).get('a'),
        app.get('b') ?? 'undefined'
      ]
    },
    'configure gives the application': () => {
      const app = createClient()
      return app.configure((input) => input.set('same', input === app)).get('same')
    },
    authenticate: () => createClient().authenticate({}),
    reAuthenticate: () => createClient().reAuthenticate(),
    logout: () => createClient().logout(),
    members: () => Object.entries(createClient()).map(([name, member]) => `${name}: ${typeof member}`)
  }
  isKept(t, await outcomes(rows, async (row) => shown(await row())), 'test/client/whole-application.txt')
})
