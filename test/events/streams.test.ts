import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import t from 'tap'
import services from '../../index.js'
import events from '../../lib/events/index.js'
import { subscribersTo } from '../support/event-stream.js'
import { list, memory, startEvents } from '../support/events-app.js'

t.test('a stream tells of what happens in its lists', async (t) => {
  const app = Fastify()
  await app.register(services)
  app.service('notes', new MemoryService({ multi: true, startId: 1 }))
  await app.register(events, { services: { notes: true } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const subscribe = subscribersTo(t, app)

  const all = await subscribe('/events?subscribe[0][path]=notes').connected
  const some = await subscribe('/events?subscribe[0][path]=notes&subscribe[0][query][kind]=b').connected
  t.match(all.head, /content-type: text\/event-stream\r\n/i)
  t.match(all.frames[0], { path: 'events', event: 'connected', heartbeat: 15_000 })
  await app.inject({ method: 'POST', url: '/notes', payload: { kind: 'a' } })
  await app.inject({ method: 'POST', url: '/notes', payload: { kind: 'b' } })
  await app.inject({ method: 'PATCH', url: '/notes/1', payload: { kind: 'c' } })
  await app.inject({ method: 'DELETE', url: '/notes/2' })
  t.same(await all.count(4), [
    { path: 'notes', event: 'created', data: { id: 1 } },
    { path: 'notes', event: 'created', data: { id: 2 } },
    { path: 'notes', event: 'patched', data: { id: 1 } },
    { path: 'notes', event: 'removed', data: { id: 2 } }
  ])
  t.same(await some.count(3), [
    { path: 'notes', event: 'created', data: { id: 2 } },
    { path: 'notes', event: 'changed' },
    { path: 'notes', event: 'removed', data: { id: 2 } }
  ])
})

t.test('a text is made ready for comparisons once, with however many values it is compared', async (t) => {
  const { subscribe, call } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true }
  })
  await call('POST', '/notes', {})
  const values = Array.from({ length: 18 }, (_, index) => `&subscribe[0][query][$or][0][text][$in][${index}]=a${index}`)
  const url = list('notes', `${values.join('')}&subscribe[0][query][$or][1][text]=o`)
  const folded = t.capture(String.prototype, 'toLowerCase', String.prototype.toLowerCase)
  const [first, second] = [await subscribe(url).connected, await subscribe(url).connected]
  const texts = ['e'.repeat(256), 'f'.repeat(256)]
  for (const text of texts) await call('PATCH', '/notes/1', { text })
  await call('PATCH', '/notes/1', { text: 'o' })
  for (const stream of [first, second])
    await stream.until(({ events }) => events.some(({ event }) => event === 'patched'))
  const received = folded().map(({ receiver }) => String(receiver))
  for (const text of texts) t.equal(received.filter((received) => received === text).length, 1, 'of a record, by event')
  for (const text of ['a0', 'a17']) t.equal(received.filter((received) => received === text).length, 2, 'of a list')
})

t.test('a stream is 200 behind a server that sets another status first, as Koa does', async (t) => {
  const { app } = await startEvents(t, (app) => app.service('notes', memory()), { services: { notes: true } })
  const front = createServer((request, response) => {
    response.statusCode = 404
    app.routing(request, response)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  t.teardown(() => front.close())
  for (const path of [list('notes'), '/notes']) {
    const { port } = front.address() as AddressInfo
    const { status, body } = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { accept: 'text/event-stream' }
    })
    t.equal(status, 200, path)
    await body?.cancel()
  }
})
