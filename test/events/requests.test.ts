import { request } from 'node:http'
import Fastify from 'fastify'
import t from 'tap'
import services, { type HookContext } from '../../index.js'
import events from '../../lib/events/index.js'
import { type Subscriber, subscribersTo } from '../support/event-stream.js'
import { list, memory, readUser, serviceAt, startEvents } from '../support/events-app.js'

const refuse = (context: HookContext) => {
  if (context.params.user?.id === 'none') throw Object.assign(new Error('Not for you'), { statusCode: 403 })
}
const register = (app: Parameters<Parameters<typeof startEvents>[1]>[0]) => {
  app.service('notes', memory(), { hooks: { before: { all: [readUser], find: [refuse] } } })
  app.service('rooms/:roomId/messages', memory(), { hooks: { before: { find: [readUser] } } })
  app.service('rooms/7/messages', memory())
  app.service('secret', memory())
  app.get('/admin', () => 'reached')
}
const options = { services: { notes: true, 'rooms/:roomId/messages': true, 'rooms/7/messages': true, secret: false } }
const errorOf = ({ body }: Subscriber) => JSON.parse(body.replace(/^[\da-f]+\r\n|\r\n0?(\r\n)*$/g, ''))

t.test('what is asked for wrongly is refused in the shape of all errors', async (t) => {
  const { subscribe, app } = await startEvents(t, register, { ...options, limits: { request: 4000 } })
  const nested = `[a]`.repeat(50)
  const rows: [string, number][] = [
    [list('missing'), 404],
    [list('secret'), 404],
    [list('admin'), 404],
    [list('notes/../admin'), 400],
    [list('%2E%2E/admin'), 400],
    [list('notes%3Fx=1'), 400],
    [list('notes%2500'), 404],
    [list(''), 400],
    ['/events?subscribe=notes', 400],
    ['/events?subscribe[0]=notes', 400],
    ['/events?subscribe[0][path][a]=notes', 400],
    ['/events?subscribe[0][path]=notes&subscribe[0][query]=x', 400],
    [`${list('notes')}&subscribe[0][query]${nested}=1`, 400],
    [`${list('notes')}&${'&'.repeat(1001)}`, 400],
    [`${list('notes')}&subscribe[0][query][text]=${'x'.repeat(4000)}`, 400]
  ]
  for (const [url, status] of rows) {
    const answer = await subscribe(url).end()
    t.equal(answer.status, status, url.slice(0, 60))
    t.match(errorOf(answer), { name: String, code: status, className: String })
  }
  const refused = await subscribe(list('notes'), { 'x-user': 'none' }).end()
  t.match(errorOf(refused), { message: 'Not for you', code: 403 })
  t.equal(app.events.streams, 0)
})

t.test('of several lists the others go on where one is refused', async (t) => {
  const { subscribe, call } = await startEvents(t, register, options)
  const url = `${list('rooms/7/messages')}&subscribe[1][path]=notes&subscribe[2][path]=rooms/8/messages`
  const stream = await subscribe(url, { 'x-user': 'none' }).connected
  await call('POST', '/rooms/7/messages', { text: 'a' })
  await call('POST', '/rooms/8/messages', { text: 'b' })
  const [stopped, ...heard] = await stream.count(3)
  t.match(stopped, { path: 'events', event: 'stopped', reason: 'forbidden', subscriptions: [1], error: { code: 403 } })
  t.same(heard, [
    { path: 'rooms/7/messages', event: 'created', data: { id: 1 }, subscriptions: [0] },
    { path: 'rooms/8/messages', event: 'created', data: { id: 1 }, subscriptions: [2] }
  ])
})

t.test('the URL of a list that is nested deeper than the limit of streams is refused', async (t) => {
  const { app } = await startEvents(t, register, { ...options, limits: { depth: 1 } })
  const headers = { accept: 'text/event-stream' }
  const { statusCode, body } = await app.inject({ url: '/notes?a[b][c]=1', headers })
  t.match([statusCode, JSON.parse(body)], [400, { message: 'The query is more than 1 levels deep' }])
})

t.test('a list that is not as it must be, or over the limit, is refused alone', async (t) => {
  const { subscribe, call } = await startEvents(t, register, { ...options, limits: { subscriptions: 4 } })
  const further = Array.from({ length: 26 }, (_, n) => `&subscribe[${n + 4}][path]=notes`).join('')
  const deep = `&subscribe[2][query]${'[a]'.repeat(50)}=1`
  const stream = await subscribe(
    `${list('notes')}&subscribe[1]=notes&subscribe[2][path]=notes${deep}&subscribe[3][path]=notes${further}`
  ).connected
  await call('POST', '/notes', { text: 'a' })
  const [shapeless, nested, tooMany, heard] = await stream.count(4)
  const error = { name: 'BadRequest', code: 400 }
  t.match(shapeless, { event: 'stopped', reason: 'forbidden', subscriptions: [1], error })
  t.match(nested, { subscriptions: [2], error: { message: 'The query of a list is nested too deep' } })
  t.match(tooMany, { event: 'stopped', reason: 'limit', error: { message: /^A stream has 4 lists at most/ } })
  t.same(
    tooMany?.subscriptions,
    Array.from({ length: 26 }, (_, n) => n + 4)
  )
  t.same(heard, { path: 'notes', event: 'created', data: { id: 1 }, subscriptions: [0, 3] })
})

t.test('lists that are told the same are told in one frame', async (t) => {
  const { subscribe, call } = await startEvents(t, register, options)
  const stream = await subscribe(
    `${list('notes')}&subscribe[1][path]=notes&subscribe[2][path]=notes&subscribe[2][query][kind]=%24`
  ).connected
  await call('POST', '/notes', { kind: 'a' })
  await call('POST', '/notes', {})
  t.same(await stream.count(3), [
    { path: 'notes', event: 'created', data: { id: 1 }, subscriptions: [0, 1] },
    { path: 'notes', event: 'created', data: { id: 2 }, subscriptions: [0, 1] },
    { path: 'notes', event: 'changed', subscriptions: [2] }
  ])
})

t.test('a list is heard at its own address, a page of it is answered as before', async (t) => {
  const { app, subscribe, call } = await startEvents(t, register, options)
  const stream = await subscribe('/notes?kind=a').connected
  await call('POST', '/notes', { kind: 'b' })
  await call('POST', '/notes', { kind: 'a' })
  t.same(await stream.count(1), [{ path: 'notes', event: 'created', data: { id: 2 } }])
  const page = await app.inject('/notes?kind=a')
  t.same(page.json(), [{ id: 2, kind: 'a' }])
  t.equal(page.headers.vary, 'Accept')
  t.equal((await subscribe('/notes', { 'x-user': 'none' }).end()).status, 403)
  t.equal((await subscribe('/secret', {}).end()).status, 200, 'a service that is not told of answers its page')
})

t.test('all services at once, as the client of Feathers 6 asks', async (t) => {
  const { subscribe, call } = await startEvents(t, register, options)
  const stream = await subscribe('/events', { accept: 'application/json', 'x-user': 'none' }).connected
  await call('POST', '/notes', { text: 'a' })
  await call('POST', '/rooms/7/messages', { text: 'a' })
  t.same(await stream.count(1), [{ path: 'rooms/7/messages', event: 'created', data: { id: 1 } }])
})

t.test('QUERY takes lists as JSON', async (t) => {
  const { app, call } = await startEvents(t, register, options)
  const { port } = app.server.address() as { port: number }
  const open = async (url: string, body: object) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'QUERY',
      path: url,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' }
    })
    sent.end(JSON.stringify(body))
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve) => sent.once('response', resolve))
    answer.setEncoding('utf8')
    t.teardown(() => sent.destroy())
    let text = ''
    answer.on('data', (chunk) => {
      text += chunk
    })
    return {
      status: answer.statusCode,
      until: async (part: string) => {
        while (!text.includes(part)) await new Promise((resolve) => answer.once('data', resolve))
        return text
      }
    }
  }
  const typed = await open('/events', { subscribe: [{ path: 'notes', query: { rank: 1 } }] })
  const ofRank = await open('/notes', { rank: 1 })
  await typed.until('connected')
  await ofRank.until('connected')
  await call('POST', '/notes', { rank: 2 })
  await call('POST', '/notes', { rank: 1 })
  for (const stream of [typed, ofRank]) t.notMatch(await stream.until('"created","data":{"id":2}'), /"id":1\b|changed/)
  t.equal(
    (await open('/events', { subscribe: [{ path: 'notes', query: JSON.parse('{"a":{"toString":1}}') }] })).status,
    400
  )
  t.equal((await open('/events', { subscribe: [] })).status, 400)
  t.equal((await open('/events', { subscribe: [{ path: 'notes', query: [1] }] })).status, 400)
  const deep = JSON.parse(`${'{"a":'.repeat(8)}1${'}'.repeat(8)}`)
  t.equal((await open('/events', { subscribe: [{ path: 'notes', query: deep }] })).status, 400)
})

t.test('streams without a user are counted by address, whatever token they name', async (t) => {
  const settings = { ...options, limits: { perUser: 1 } }
  const { subscribe } = await startEvents(t, register, settings, { trustProxy: '127.0.0.1' })
  const from = (address: string, headers = {}) =>
    subscribe(list('notes'), { 'x-forwarded-for': address, authorization: `Bearer ${Math.random()}`, ...headers })
  await from('10.0.0.1').connected
  t.equal((await from('10.0.0.1').end()).status, 503)
  await from('10.0.0.2').connected
  await from('10.0.0.1', { 'x-user': 'ann' }).connected
})

t.test('there are so many streams, and so many of a user, and no more', async (t) => {
  const { app, subscribe } = await startEvents(t, register, { ...options, limits: { subscribers: 3, perUser: 2 } })
  const [first] = [
    await subscribe(list('notes'), { 'x-user': 'ann' }).connected,
    await subscribe(list('notes'), { 'x-user': 'ann' }).connected
  ]
  const third = await subscribe(list('notes'), { 'x-user': 'ann' }).end()
  t.equal(third.status, 503)
  t.match(third.head, /retry-after: 30/i)
  const bob = await subscribe(list('notes'), { 'x-user': 'bob' }).connected
  t.equal((await subscribe(list('notes'), { 'x-user': 'cyd' }).end()).status, 503)
  first?.socket.destroy()
  bob.socket.destroy()
  while (app.events.streams > 1) await new Promise((resolve) => setTimeout(resolve, 5))
  await subscribe(list('notes'), { 'x-user': 'ann' }).connected
})

t.test('a client whose address has a path names what stands behind that', async (t) => {
  const { app, subscribe } = await startEvents(
    t,
    (app) => {
      app.service('v1/notes', memory())
      app.service('v1/rooms/:roomId/messages', memory(), { hooks: { before: { find: [readUser] } } })
      app.service('notes', memory())
    },
    { path: '/v1/live/events', services: { 'v1/notes': true, 'v1/rooms/:roomId/messages': true } }
  )
  const at = (...paths: string[]) =>
    subscribe(`/v1/live/events?${paths.map((path, index) => `subscribe[${index}][path]=${path}`).join('&')}`)
  const stream = await at('notes', 'rooms/7/messages', 'v1/notes').connected
  await serviceAt(app, 'notes').create({})
  await serviceAt(app, 'v1/notes').create({})
  await app.inject({ method: 'POST', url: '/v1/rooms/7/messages', payload: {} })
  t.same(await stream.count(3), [
    { path: 'notes', event: 'created', data: { id: 1 }, subscriptions: [0] },
    { path: 'v1/notes', event: 'created', data: { id: 1 }, subscriptions: [2] },
    { path: 'rooms/7/messages', event: 'created', data: { id: 1 }, subscriptions: [1] }
  ])
  t.equal((await at('missing').end()).status, 404)
})

t.test('the prefix of a registration may have a placeholder: lists are those of its value', async (t) => {
  const app = Fastify()
  await app.register(
    async (tenant) => {
      await tenant.register(services)
      tenant.service('notes', memory(), {})
      await tenant.register(events, { services: { notes: true } })
    },
    { prefix: '/:tenant' }
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const subscribe = subscribersTo(t, app)
  const stream = await subscribe('/acme/events?subscribe[0][path]=notes').connected
  for (const tenant of ['beta', 'acme']) await app.inject({ method: 'POST', url: `/${tenant}/notes`, payload: {} })
  t.same(await stream.count(1), [{ path: 'notes', event: 'created', data: { id: 2 } }])
})
