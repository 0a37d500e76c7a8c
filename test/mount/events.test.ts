import { EventEmitter } from 'node:events'
import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, type Theirs } from '../support/mounted-app.js'

t.test('a listener on either side hears each event once, whichever way the call came', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', memory({ multi: true }) as object)
  const app = await createMounted(t, theirs)
  const heard: string[] = []
  const hear = (side: string) => (record: { n: number }, context: { path: string; method: string }) =>
    heard.push(`${side} ${record.n} ${context.path}.${context.method}`)
  app.service('things').on('created', hear('ours'))
  theirs.service('things').on('created', hear('theirs'))
  const sides = (n: number) => [`ours ${n} things.create`, `theirs ${n} things.create`]

  await request(app, 'POST', '/things', { payload: { n: 1 } })
  t.same(heard.splice(0).sort(), sides(1), 'over HTTP')
  await theirs.service('things').create({ n: 2 })
  t.same(heard.splice(0).sort(), sides(2), 'by its own application')
  await app.service<{ create(data: object): Promise<object> }>('things').create({ n: 3 })
  t.same(heard.splice(0).sort(), sides(3), 'by ours')
  await request(app, 'POST', '/things', { payload: [{ n: 4 }, { n: 5 }] })
  t.same(heard.splice(0).sort(), [...sides(4), ...sides(5)].sort(), 'for each record of a list')
})

t.test('events of its own, and of a service that is an emitter', async (t) => {
  const theirs: Theirs = feathers()
  class Emitter extends EventEmitter {
    async create(data: { n: number }) {
      this.emit('created', data)
      return data
    }
    async archive(data: { n: number }) {
      this.emit('archived', data)
      return data
    }
  }
  theirs.use('emitters', new Emitter(), { methods: ['create', 'archive'], events: ['created', 'archived'] })
  const app = await createMounted(t, theirs)
  const heard: unknown[] = []
  app.service('emitters').on('created', (data) => heard.push('created', data))
  app.service('emitters').on('archived', (data) => heard.push('archived', data))
  await request(app, 'POST', '/emitters', { payload: { n: 1 } })
  await request(app, 'POST', '/emitters', { payload: { n: 2 }, headers: { 'x-service-method': 'archive' } })
  t.same(heard, ['created', { n: 1 }, 'archived', { n: 2 }])
})

t.test('a listener that throws fails the call, as it does in Feathers', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', memory() as object)
  const app = await createMounted(t, theirs)
  theirs.service('things').on('created', () => {
    throw new Error('no')
  })
  t.match(await request(app, 'POST', '/things', { payload: {} }), { status: 500, body: { className: 'general-error' } })
  t.match(await request(app, 'GET', '/things'), { status: 200, body: [{ id: 0 }] })
})

t.test('a service that is registered once more under another path tells each event once', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', memory() as object)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const ofFeathers = app.service('feathers', theirs.service('things'), { events: ['archived'] })
  const inner = app.service('inner', memory() as object)
  const ofOurs = app.service('ours', inner)
  for (const [name, service, origin] of [
    ['of Feathers', ofFeathers, theirs.service('things')],
    ['of ours', ofOurs, inner]
  ] as const) {
    const heard: unknown[] = []
    for (const value of [service, origin]) value.on('created', (record: object) => heard.push(record))
    await (service as unknown as { create(data: object): Promise<object> }).create({ n: 1 })
    t.match(heard, [{ n: 1 }, { n: 1 }], name)
    t.equal(heard.length, 2, name)
  }
})

t.test('so does one that names its own events', async (t) => {
  class Jobs extends EventEmitter {
    events = ['done']
    async create(data: object) {
      this.emit('done', data)
      return data
    }
  }
  const theirs: Theirs = feathers()
  theirs.use('jobs', new Jobs())
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const tell = (context: { event: string | null }) => {
    context.event = 'done'
  }
  app.service('first', new Jobs())
  for (const [path, object] of Object.entries({ ours: app.service('first'), theirs: theirs.service('jobs') })) {
    const heard: unknown[] = []
    app.service(path, object as unknown as Jobs, { hooks: { before: { create: [tell] } } })
    app.service(path).on('done', (data) => heard.push(data))
    await app.service<Jobs>(path).create({ n: 1 })
    t.same(heard, [{ n: 1 }], path)
  }
})
