import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t, { type Test } from 'tap'
import { root } from '../package/sources.js'
import { installIn } from '../support/install.js'
import type { Theirs } from '../support/mounted-app.js'
import { requireThere } from '../support/mounted-sides.js'
import { differences, type ReplayStep, replay, send } from '../support/replay.js'

t.setTimeout(900_000)

const folder = join(root, 'test/feathers')
const baseOf = (server: Server) => `http://localhost:${(server.address() as AddressInfo).port}`

type Create = (...args: string[]) => Theirs

async function load(name: string): Promise<Create> {
  const { create } = await import(pathToFileURL(join(folder, `applications/${name}.js`)).href)
  return create
}

/** Starts an application twice: as it is, and mounted. */
async function startBoth(t: Test, create: () => Theirs): Promise<[string, string]> {
  const theirs = create() as Theirs & { listen(port: number): Promise<Server> }
  const server = await theirs.listen(0)
  if (!server.listening) await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    await theirs.teardown()
  })
  const app = Fastify({ frameworkErrors, forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services, { notFound: true, errorHandler: { html: false, logger: false } })
  await app.register(mounted, { app: create(), fallback: true })
  await app.listen({ port: 0 })
  return [baseOf(server), baseOf(app.server)]
}

const json = { 'content-type': 'application/json' }
const post = (url: string, data: unknown, headers = {}): ReplayStep => ({
  verb: 'POST',
  url,
  headers: { ...json, ...headers },
  body: JSON.stringify(data)
})
const form = (text: string) => {
  const data = new FormData()
  data.set('title', 'A file')
  data.set('file', new Blob([text], { type: 'text/plain' }), 'a.txt')
  return data
}

const common: ReplayStep[] = [
  post('/notes', { text: 'One' }),
  post('/notes', { text: 'Two' }, { 'x-service-method': '' }),
  { url: '/notes' },
  { url: '//notes?text=One' },
  { url: '/notes/1' },
  { url: '/notes/7' },
  { verb: 'HEAD', url: '/notes' },
  { verb: 'HEAD', url: '/notes/1' },
  { verb: 'PATCH', url: '/notes/1', headers: json, body: '{"text":"Uno"}' },
  { verb: 'PATCH', url: '/notes/1', headers: { ...json, 'x-service-method': 'remove' }, body: '{}' },
  { verb: 'DELETE', url: '/notes/2' },
  { url: '/none' },
  { verb: 'PUT', url: '/none', headers: json, body: '{}' }
]
const steps: Record<string, ReplayStep[]> = {
  uploads: [
    ...common,
    { verb: 'POST', url: '/uploads?a[b]=1', body: form('Hello') },
    { verb: 'POST', url: '/uploads', body: form('x'.repeat(2000)) },
    post('/uploads', { no: 'file' }),
    { verb: 'POST', url: '/uploads', body: new URLSearchParams({ a: '1' }) },
    { url: '/uploads/1' },
    { url: '/uploads' },
    { verb: 'DELETE', url: '/uploads/1' },
    { verb: 'HEAD', url: '/uploads/1' },
    { verb: 'OPTIONS', url: '/uploads' },
    { url: '/reports/2025?x' },
    post('/reports', { a: 1 }),
    { verb: 'POST', url: '/reports', headers: json, body: '{"a":' },
    { url: '/reports/broken/now' },
    { url: '/page/a/b' },
    { url: '/hello.txt' },
    { url: '/hello.txt', headers: { range: 'bytes=2-5' } },
    { verb: 'HEAD', url: '/hello.txt' },
    { url: '/files' }
  ],
  oauth: [
    ...common,
    { url: '/notes/latest' },
    { url: '/done' },
    { verb: 'POST', url: '/done' },
    { verb: 'OPTIONS', url: '/done' },
    { url: '/secrets' },
    { url: '/oauth/nobody' },
    { url: '/oauth/acme/callback?code=wrong' },
    post('/authentication', { strategy: 'acme' }),
    post('/authentication', { strategy: 'jwt', accessToken: 'x' })
  ]
}

/** A provider of OAuth that lets everybody in. */
async function startProvider(t: Test): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (pathname === '/authorize') {
      const target = new URL(searchParams.get('redirect_uri') as string)
      target.searchParams.set('code', 'a code')
      target.searchParams.set('state', searchParams.get('state') as string)
      response.writeHead(302, { location: target.href }).end()
      return
    }
    const answers: Record<string, object> = {
      '/token': { access_token: 'a token' },
      '/profile': { id: 7, name: 'Ada' }
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[pathname] ?? {}))
  })
  server.listen(0)
  await once(server, 'listening')
  t.teardown(() => server.close())
  return baseOf(server)
}

t.before(() => installIn(folder))

t.test('an application with uploads, a router and files: nothing differs when it is mounted', async (t) => {
  const create = await load('uploads')
  const [theirs, ours] = await startBoth(t, create)
  const list = steps.uploads as ReplayStep[]
  const answers = await Promise.all([replay(theirs, list), replay(ours, list)])
  t.match(
    answers[1].find(({ body }) => Object(body).name === 'a.txt'),
    { status: 201, body: { size: 5, text: 'Hello' }, headers: { 'x-uploaded': 'true' } }
  )
  t.strictSame(differences(list, ...answers), [])
})

t.test('an application with OAuth and a router: nothing differs when it is mounted', async (t) => {
  const create = await load('oauth')
  const provider = await startProvider(t)
  const [theirs, ours] = await startBoth(t, () => create(provider))
  const list = steps.oauth as ReplayStep[]
  const answers = await Promise.all([replay(theirs, list), replay(ours, list)])
  t.strictSame(differences(list, ...answers), [])
})

t.test('a log-in at a provider of OAuth, with a session in a cookie', async (t) => {
  const create = await load('oauth')
  const provider = await startProvider(t)
  const bases = await startBoth(t, () => create(provider))
  const trips = bases.map(async (base) => {
    const cookies = new Map<string, string>()
    const begun = await send(base, { url: '/oauth/acme' }, cookies)
    t.match(begun.headers.location, `${provider}/authorize?`)
    t.match([...cookies.keys()], ['feathers.oauth', 'feathers.oauth.sig'])
    const allowed = await send(provider, { url: begun.headers.location as string }, new Map())
    const { pathname, search } = new URL(allowed.headers.location as string)
    t.equal(pathname, '/oauth/acme/callback')
    const stranger = await send(base, { url: `${pathname}${search}` }, new Map())
    t.notMatch(stranger.headers.location, 'access_token', 'without the cookie nobody is let in')
    const ended = await send(base, { url: `${pathname}${search}` }, cookies)
    const [, token] = /^\/done#access_token=(.+)$/.exec(ended.headers.location as string) ?? []
    t.ok(token)
    const authorization = `Bearer ${token}`
    const user = await send(base, { url: '/users/1', headers: { authorization } }, new Map())
    const secrets = await send(base, { url: '/secrets', headers: { authorization } }, new Map())
    return [begun.status, stranger.status, ended.status, user.status, user.body, secrets.status, secrets.body]
  })
  const [theirs, ours] = await Promise.all(trips)
  t.strictSame(ours, theirs)
  t.match(ours, [303, Number, 303, 200, { acmeId: 7, name: 'Ada' }, 200, []])
})

t.test(
  '@feathersjs/feathers 5.0.0, whose services have another mark, is refused with the version to install',
  async (t) => {
    const { feathers } = requireThere('feathers-5.0.0')
    const theirs = feathers()
    theirs.use('notes', { find: async () => [{ id: 1 }] })
    t.notOk(Symbol.for('@feathersjs/service') in theirs.service('notes'))
    const app = Fastify()
    t.teardown(() => app.close().catch(() => {}))
    await app.register(services)
    await t.rejects(
      async () => app.register(mounted, { app: theirs }),
      /install @feathersjs\/feathers 5\.0\.1 or later/
    )
  }
)
