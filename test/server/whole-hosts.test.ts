import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services, { notFound } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

// Services beside routes of the application, and what is answered where there is nothing.

const ofService = async () => 'service'
const all = {
  find: ofService,
  get: ofService,
  create: ofService,
  update: ofService,
  patch: ofService,
  remove: ofService,
  stats: ofService
}
const options = { methods: Object.keys(all), routes: { stats: 'GET /stats' } } as const
const ofApplication = () => 'application'

async function ask(app: FastifyInstance, request: InjectOptions) {
  const { statusCode, headers, body } = await app.inject(request)
  // It tells who has answered where there is no body.
  const length = `${headers['content-length']} bytes`
  const text = body.startsWith('{') || body.startsWith('"') ? JSON.parse(body) : body || length
  return `${[statusCode, headers.allow ?? [], text.message ?? text].flat().join(' ')}`
}

const quiet = { errorHandler: { html: false, logger: false } } as const
const add = (app: FastifyInstance) => app.service('things', all, options)
const routes: Record<string, readonly [method: string, url: string, more?: object]> = {
  'the path': ['GET', '/things'],
  'the path with a slash': ['GET', '/things/'],
  'the path, HEAD alone': ['HEAD', '/things'],
  'a record': ['GET', '/things/:id'],
  'a record by another name': ['PATCH', '/things/:thingId'],
  'a fixed record': ['GET', '/things/1'],
  'a route of a custom method': ['GET', '/things/stats'],
  'a verb that services lack': ['OPTIONS', '/things'],
  'a path below': ['GET', '/things/1/more'],
  'all of the rest': ['GET', '/*'],
  'all below': ['DELETE', '/things/*'],
  'of one host': ['GET', '/things', { constraints: { host: 'example.com' } }],
  'of one version': ['POST', '/things', { constraints: { version: '1.0.0' } }]
}
const verbs = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const
const requests: InjectOptions[] = [
  ...['/things', '/things/', '/things/1', '/things/stats', '/things/1/more', '/other'].flatMap((url) =>
    verbs.map((method) => ({ method, url, ...(method[0] === 'P' && { payload: {} }) }))
  ),
  { url: '/things', headers: { host: 'example.com' } },
  { method: 'POST', url: '/things', payload: {}, headers: { 'accept-version': '1.0.0' } },
  { method: 'POST', url: '/things', payload: {}, headers: { 'x-service-method': 'stats' } }
]
const nameOf = ({ method = 'GET', url, headers }: InjectOptions) =>
  `${method} ${url}${headers ? ` ${JSON.stringify(headers)}` : ''}`

async function answersOf(...parts: ((app: FastifyInstance) => unknown)[]): Promise<Record<string, string>> {
  const app = Fastify()
  const answers: Record<string, string> = {}
  for (const part of parts) await part(app)
  try {
    await app.ready()
  } catch (error) {
    return { 'the start': (error as Error).message }
  }
  for (const request of requests) answers[nameOf(request)] = await ask(app, request)
  return answers
}

t.test('routes of the application beside those of services', async (t) => {
  const plugin = (app: FastifyInstance) => void app.register(services, quiet)
  const added = (app: FastifyInstance) => void app.after(() => add(app))
  const alone = await answersOf(plugin, added)
  const others: Record<string, unknown> = { alone }
  for (const [name, [method, url, more]] of Object.entries(routes)) {
    const route = (app: FastifyInstance) =>
      void app.route({ method: method as 'GET', url, handler: ofApplication, ...more })
    const inside = (app: FastifyInstance) => void app.register(async (app) => route(app))
    const orders = {
      before: [plugin, route, added],
      'inside, after': [plugin, added, inside],
      'before the plugin': [route, plugin, added]
    }
    for (const [order, parts] of Object.entries(orders)) {
      const answers = Object.entries(await answersOf(...parts))
      others[`${name}, ${order}`] = Object.fromEntries(answers.filter(([name, answer]) => alone[name] !== answer))
    }
  }
  const nested = (app: FastifyInstance) =>
    void app.register(
      async (app) => {
        await plugin(app)
        app.after(() => add(app))
      },
      { prefix: '/in' }
    )
  const outside = (app: FastifyInstance) =>
    void app.get('/in/things', ofApplication).patch('/in/things/:id', ofApplication)
  for (const [name, parts] of Object.entries({ nested: [], before: [outside], after: [outside] })) {
    const app = Fastify()
    for (const part of name === 'before' ? [...parts, nested] : [nested, ...parts]) part(app)
    const answers: unknown[] = []
    for (const method of verbs)
      for (const url of ['/in/things', '/in/things/1', '/things'])
        answers.push(`${method} ${url} ${await ask(app, { method, url, ...(method[0] === 'P' && { payload: {} }) })}`)
    others[`under a prefix: ${name}`] = answers
  }
  isKept(t, others, 'test/server/whole-hosts.txt')
})

const handlers: Record<string, object> = {
  none: {},
  false: { notFound: false },
  true: { notFound: true },
  verbose: { notFound: { verbose: true } },
  'not verbose': { notFound: { verbose: false } },
  'an id': { notFound: { requestId: true } },
  'an id by the error handler': { notFound: true, errorHandler: { requestId: true } },
  'an id by the error handler, not here': { notFound: { requestId: false }, errorHandler: { requestId: true } },
  'no page': { notFound: { html: false } },
  'no page by the error handler': { notFound: true, errorHandler: { html: false } },
  'a page': { notFound: { html: ({ message }: Error) => `page ${message}` }, errorHandler: { html: false } },
  'the error handler alone': { errorHandler: { html: false, requestId: true } }
}

t.test('what is answered where there is nothing', async (t) => {
  const rows: Record<string, unknown> = {}
  const tell = async (name: string, register: (app: FastifyInstance) => unknown) => {
    const lines: string[] = []
    const stream = {
      write(line: string) {
        const { level, msg, err, code } = JSON.parse(line)
        if (err || code) lines.push(`${level} ${msg}`)
      }
    }
    const app = Fastify({ logger: { level: 'info', stream }, genReqId: () => 'id' })
    await register(app)
    const pairs = { '/none?a=<b>': 'application/json', '/none': 'text/html', '/v1/none': '*/json' }
    const answers: unknown[] = []
    for (const [url, accept] of Object.entries(pairs)) {
      const { statusCode, body } = await app.inject({ url, headers: { accept } })
      const text = body.startsWith('{') ? JSON.parse(body) : (/<h1>.*<\/h1>/s.exec(body)?.[0] ?? body)
      answers.push([statusCode, text, ...lines.splice(0)])
    }
    rows[name] = answers
  }
  for (const [name, options] of Object.entries(handlers)) await tell(name, (app) => app.register(services, options))
  await tell('by itself', (app) => app.setNotFoundHandler(notFound()))
  await tell('by itself, verbose', (app) =>
    app.setNotFoundHandler(notFound({ verbose: true, html: false, logger: false }))
  )
  await tell('inside a prefix', (app) =>
    app.register(async (app) => void (await app.register(services, { notFound: { verbose: true } })), { prefix: '/v1' })
  )
  isKept(t, rows, 'test/server/whole-hosts-not-found.txt')
})
