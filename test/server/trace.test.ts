import { type Channel, tracingChannel } from 'node:diagnostics_channel'
import { Readable } from 'node:stream'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import Fastify from 'fastify'
import services, { NotFound, type TracedCall } from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'

class Posts {
  async find() {
    return Readable.from([{ a: 1 }])
  }
  async get(id: string) {
    if (id === '0') throw new NotFound('No such post')
    return { id }
  }
  async create(data: object) {
    return data
  }
  async publish(id: string) {
    return id
  }
}

async function create(t: Test, prepare: (app: ReturnType<typeof Fastify>) => unknown = () => {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await prepare(app)
  await app.register(services)
  const posts = app.service('posts', new Posts(), {
    methods: ['find', 'get', 'create', 'publish'],
    routes: { publish: 'POST /:id/publish' }
  })
  app.service('users/:userId/posts', { find: async () => app.service('posts').get('1') })
  app.service('', { find: async () => [] })
  await app.ready()
  return { app, posts }
}

type Note = [event: string, path: string, method: string, provider: string | undefined, ...outcome: unknown[]]

/** Notes what the channel publishes until the test ends. */
function listen(t: Test) {
  const notes: Note[] = []
  const calls = new Set<TracedCall>()
  const note = (event: string) => (message: unknown) => {
    const call = message as TracedCall
    const { path, method, provider, result, error } = call
    calls.add(call)
    notes.push([event, path, method, provider, ...(result || error ? [error ?? result] : [])])
  }
  const subscribers = { start: note('start'), asyncEnd: note('end'), error: note('error') }
  const channel = tracingChannel<string, TracedCall>('fastify-services:call')
  const all = Object.entries(subscribers) as ['start', () => void][]
  for (const [name, subscriber] of all) (channel[name] as Channel).subscribe(subscriber)
  const stop = () => {
    for (const [name, subscriber] of all) (channel[name] as Channel).unsubscribe(subscriber)
  }
  t.teardown(stop)
  return { notes, calls, stop }
}

t.test('the channel shows calls of the server itself and over HTTP, and how they end', async (t) => {
  const { app, posts } = await create(t)
  const { notes, calls, stop } = listen(t)
  t.same(await posts.get('1'), { id: '1' })
  t.same(
    notes.splice(0),
    [
      ['start', 'posts', 'get', undefined],
      ['end', 'posts', 'get', undefined, { id: '1' }]
    ],
    'one object for all events'
  )
  t.equal(calls.size, 1)
  t.match([...calls][0]?.context, { id: '1', method: 'get', result: { id: '1' } })
  await request(app, 'GET', '/users/7/posts')
  t.same(notes.splice(0), [
    ['start', 'users/:userId/posts', 'find', 'rest'],
    ['start', 'posts', 'get', undefined],
    ['end', 'posts', 'get', undefined, { id: '1' }],
    ['end', 'users/:userId/posts', 'find', 'rest', { id: '1' }]
  ])
  await request(app, 'POST', '/posts/1/publish')
  t.same(
    notes.splice(0).map(([event, path, method, provider]) => [event, path, method, provider]),
    [
      ['start', 'posts', 'publish', 'rest'],
      ['end', 'posts', 'publish', 'rest']
    ]
  )
  t.equal((await request(app, 'GET', '/posts/0')).status, 404)
  const error = { name: 'NotFound', message: 'No such post' }
  t.match(notes.splice(0), [
    ['start', 'posts', 'get', 'rest'],
    ['error', 'posts', 'get', 'rest', error],
    ['end', 'posts', 'get', 'rest', error]
  ])
  stop()
  t.same(await posts.get('2'), { id: '2' })
  t.same(notes, [], 'nothing without a subscriber')
})

t.test('a subscriber of one event alone is enough', async (t) => {
  const { posts } = await create(t)
  for (const name of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const) {
    const seen: unknown[] = []
    const channel = tracingChannel('fastify-services:call')[name] as Channel
    const note = (message: unknown) => seen.push((message as TracedCall).method)
    channel.subscribe(note)
    await posts.get(name === 'error' ? '0' : '1').catch(() => {})
    channel.unsubscribe(note)
    t.same(seen, ['get'], name)
  }
})

t.test('hooks are part of a call; a call that is refused before them is none; a stream ends later', async (t) => {
  const { app, posts } = await create(t)
  posts.hooks({ before: { create: [() => ({ result: { hooked: true } })] } })
  const { notes } = listen(t)
  t.same(await posts.create({ a: 1 }), { hooked: true })
  t.match(notes.splice(0), [['start'], ['end', 'posts', 'create', undefined, { hooked: true }]])
  t.equal((await request(app, 'POST', '/posts')).status, 400)
  t.same(notes, [])
  t.equal((await app.inject('/posts')).body, '{"a":1}\n')
  t.match(notes, [['start'], ['end', 'posts', 'find', 'rest', Readable]])
})

t.test('spans of `@fastify/otel` have the names of the services and their methods', async (t) => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const instrumentation = new FastifyOtelInstrumentation()
  instrumentation.setTracerProvider(provider)
  const { app } = await create(t, (app) => app.register(instrumentation.plugin()))
  const spansOf = async (method: 'GET' | 'POST', url: string) => {
    exporter.reset()
    await app.inject({ method, url })
    return exporter
      .getFinishedSpans()
      .map(({ name, attributes }) => [name, attributes['hook.name']])
      .filter(([name]) => String(name).startsWith('handler'))
  }
  for (const [method, url, path, name] of [
    ['GET', '/posts', 'posts', 'posts.find'],
    ['GET', '/posts/1', 'posts', 'posts.get'],
    ['POST', '/posts/1/publish', 'posts', 'posts.publish'],
    ['GET', '/users/7/posts', 'users/:userId/posts', 'users/:userId/posts.find'],
    ['GET', '/', '/', '/.find']
  ] as const)
    t.same(await spansOf(method, url), [[`handler - ${name}`, `${path} - route-handler`]], url)
})
