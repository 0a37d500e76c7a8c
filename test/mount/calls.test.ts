import { feathers, type HookContext } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import type { HookContext as OurContext } from 'fastify-services'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

t.test('a call over HTTP has the params that the transports of Feathers give', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('rooms/:room/things', mirror)
  theirs.use('fixed', mirror, { routeParams: { tenant: 'a' } } as object)
  const app = await createMounted(t, theirs)
  const headers = { 'x-a': '1' }
  const all = await request(app, 'GET', '/rooms/blue/things?a[b]=1', { headers })
  t.match(all.body, { query: { a: { b: '1' } }, headers, provider: 'rest' })
  t.strictSame(all.body.route, { room: 'blue' })
  t.same(Object.keys(all.body).sort(), ['headers', 'provider', 'query', 'route'])
  t.match((await request(app, 'GET', '/rooms/blue/things/7')).body, { id: '7', route: { room: 'blue' } })
  t.strictSame((await request(app, 'GET', '/fixed')).body.route, { tenant: 'a' })
})

t.test('what hooks of Fastify put on request.feathers are params too', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  const app = await createMounted(t, theirs, {
    after: (app) =>
      app.addHook('onRequest', async (request) => {
        Object.assign(request.feathers, { client: 'web', provider: 'other' })
      })
  })
  t.match((await request(app, 'GET', '/things')).body, { client: 'web', provider: 'rest' })
})

t.test('its hooks run once, and what they say of the answer counts', async (t) => {
  const theirs: Theirs = feathers()
  const ran: string[] = []
  theirs.use('things', mirror)
  const around = (name: string) => async (context: HookContext, next: () => Promise<void>) => {
    ran.push(`${name} ${context.path}.${context.method} ${context.params.provider} ${context.app === theirs}`)
    await next()
  }
  theirs.hooks([around('application')])
  theirs.service('things').hooks({
    around: { all: [around('service')] },
    after: {
      get: [
        async (context: HookContext) => {
          context.dispatch = { shown: true }
          context.http = { status: 202, headers: { 'X-Thing': 'a' } }
        }
      ],
      find: [
        async (context: HookContext) => {
          context.http = { location: '/ä' }
        }
      ]
    }
  })
  let seen: OurContext | null = null
  const app = await createMounted(t, theirs, {
    after: (app) =>
      app.addHook('onResponse', async (_request, reply) => {
        seen = reply.hook
      })
  })
  const answer = await request(app, 'GET', '/things/1')
  t.match(answer, { status: 202, headers: { 'x-thing': 'a' }, body: { shown: true } })
  t.same(ran, ['application things.get rest true', 'service things.get rest true'])
  t.match(seen, { id: '1', result: { id: '1' }, dispatch: { shown: true } }, 'hooks of Fastify find it in reply.hook')
  t.match(await request(app, 'GET', '/things'), { status: 303, headers: { location: '/%C3%A4' } })
})

t.test('a call inside goes to the service of Feathers as it is', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  const app = await createMounted(t, theirs)
  const service: unknown = app.service<typeof mirror>('things')
  t.equal(service, theirs.service('things'))
  t.strictSame(await app.service<typeof mirror>('things').find({ a: 1 }), { a: 1 }, 'it has no provider')
})

t.test('the hooks of the plugin run around its calls over HTTP', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', { ...mirror, get: async () => undefined })
  const ran: unknown[] = []
  const early = async (context: OurContext) => {
    ran.push(`${context.path}.${context.method}`, Object.is(context.service, theirs.service('things')))
    if (context.method === 'find') context.result = 'early'
  }
  const app = await createMounted(t, theirs, { plugin: { hooks: { before: { all: [early] } } } })
  t.match(await request(app, 'GET', '/things'), { status: 200, body: 'early' })
  t.match(await request(app, 'GET', '/things/1'), { status: 204 }, 'without a result')
  t.same(ran, ['things.find', true, 'things.get', true])
})

t.test('methods: those that its service exposes, custom ones by header', async (t) => {
  const theirs: Theirs = feathers()
  const object = { ...mirror, archive: async (data: unknown) => ({ archived: data }), hidden: async () => 'hidden' }
  theirs.use('things', object, { methods: ['get', 'archive'] })
  theirs.use('nothing', object, { methods: [] })
  theirs.use('setup', { setup: async () => {} } as object, { methods: [] })
  const app = await createMounted(t, theirs)
  const custom = (name: string) => ({ headers: { 'x-service-method': name }, payload: { a: 1 } })
  t.match(await request(app, 'POST', '/things', custom('archive')), { status: 200, body: { archived: { a: 1 } } })
  for (const name of ['hidden', 'find', 'create', 'setup', 'emit', 'hooks', 'on', 'toString', '__proto__', 'publish'])
    t.match(await request(app, 'POST', '/things', custom(name)), { status: 405 }, name)
  t.match(await request(app, 'GET', '/things'), { status: 405, headers: { allow: 'POST' } })
  t.match(await request(app, 'GET', '/nothing'), { status: 404 })
  t.match(await request(app, 'GET', '/setup'), { status: 404 })
})

t.test('ours and theirs stand side by side, and call each other', async (t) => {
  const theirs: Theirs = feathers()
  const app = await createMounted(t, theirs, {
    after: (app) =>
      app.service('counted', {
        find: async () => ({ count: (await app.service<{ find(): Promise<object[]> }>('things').find()).length })
      })
  })
  theirs.use('things', memory({ multi: true }) as object)
  theirs.use('doubled', {
    find: async () => ({ twice: 2 * (await app.service<{ find(): { count: number } }>('counted').find()).count })
  })
  await theirs.service('things').create([{}, {}, {}])
  t.match((await request(app, 'GET', '/counted')).body, { count: 3 })
  t.match((await request(app, 'GET', '/doubled')).body, { twice: 6 })
})

t.test('a database adapter is described as it is', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('pages', memory({ multi: true, paginate: { default: 1 } }) as object)
  const app = await createMounted(t, theirs)
  await theirs.service('pages').create([{ n: 1 }, { n: 2 }], {})
  t.match((await request(app, 'GET', '/pages')).body, { total: 2, limit: 1, data: [{ n: 1 }] })
  t.match((await request(app, 'GET', '/pages/9')).body, { code: 404, message: "No record found for id '9'" })
})

t.test('a hook that recovers from an error leaves `dispatch`, as in Feathers', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  const fail = () => {
    throw new Error('late')
  }
  theirs.service('things').hooks({
    after: { find: [(context) => void Object.assign(context, { dispatch: { of: 'method' } }), fail] },
    error: { find: [(context) => void Object.assign(context, { result: { of: 'hook' } })] }
  })
  const app = await createMounted(t, theirs)
  t.strictSame(await theirs.service('things').find(), { of: 'hook' })
  t.match(await request(app, 'GET', '/things'), { status: 200, body: { of: 'method' } })
})
