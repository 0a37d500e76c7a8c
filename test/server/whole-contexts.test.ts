import Fastify, { type FastifyReply } from 'fastify'
import services, { BadRequest, type HookContext, type Middleware } from 'fastify-services'
import t from 'tap'
import { applyContext } from '../../lib/server/answer/reply.js'
import { isKept } from '../support/kept.js'

/** What hooks may leave in a context, by what they set. */
const contexts: Record<string, object> = {
  nothing: {},
  ...Object.fromEntries(
    [
      200,
      201,
      204,
      299,
      304,
      404,
      599,
      199,
      600,
      100,
      0,
      -1,
      200.5,
      '200',
      '',
      null,
      true,
      Number.NaN,
      {},
      [200],
      () => 1
    ].map((status) => [`status ${String(JSON.stringify(status))}`, { http: { status } }])
  ),
  'status undefined': { http: { status: undefined } },
  'no http': { http: undefined },
  'http: null': { http: null },
  'headers: undefined': { http: { headers: undefined } },
  'headers: {}': { http: { headers: {} } },
  'headers of all kinds': {
    http: {
      headers: {
        'X-Text': 'a',
        'x-number': 5,
        'X-None': undefined,
        'x-list': ['a', 'b'],
        'x-one': ['a'],
        'x-empty': ''
      }
    }
  },
  'a header twice': { http: { headers: { 'X-Twice': 'a', 'x-twice': 'b' } } },
  'cookies, more cookies': { http: { headers: { 'set-cookie': ['c=3', 'd=4'] } } },
  'a header of the middleware': { http: { headers: { 'X-Before': 'changed' } } },
  'a type for a text': { http: { headers: { 'Content-Type': 'text/csv' } }, result: 'a,b' },
  'a type of JSON for a text': { http: { headers: { 'content-type': 'application/vnd.api+json' } }, result: 'a' },
  'a type for an object': { http: { headers: { 'content-type': 'application/ld+json; charset=utf-8' } } },
  'a type for no result': { http: { headers: { 'content-type': 'text/csv' } }, result: null },
  'headers of a connection': { http: { headers: { Connection: 'close', 'Keep-Alive': 'timeout=1' } } },
  'a header with a break': { http: { headers: { 'x-bad': 'a\nb' } } },
  'a header with a break in a list': { http: { headers: { 'x-bad': ['a', 'b\r\nc'] } } },
  'a header that is not Latin': { http: { headers: { 'x-bad': 'ж' } } },
  'a header of a bad name': { http: { headers: { 'x bad': 'a' } } },
  'a header of no name': { http: { headers: { '': 'a' } } },
  'a header of a name with a dot and a bad value': { http: { headers: { 'x.bad': 'ж' } } },
  'a header of a name with a dot': { http: { headers: { 'x.good': 'a' } } },
  'a header: null': { http: { headers: { 'x-bad': null } } },
  'a location': { http: { location: '/a b/ä?q=ü#x' } },
  'a location and a status': { http: { location: '/a', status: 201 } },
  'an empty location': { http: { location: '' } },
  'a location: undefined': { http: { location: undefined } },
  'a location as a header': { http: { headers: { Location: '/a b' } } },
  'a location as a header: undefined': { http: { headers: { Location: undefined } } },
  'both locations': { http: { headers: { location: '/header' }, location: '/own' } },
  'a location of no result': { http: { location: '/a' }, result: null },
  'an encoded location': { http: { location: 'https://example.com/%20?a=%zz\r\n' } },
  statusCode: { statusCode: 202 },
  'dispatch: null': { dispatch: null },
  'dispatch: false': { dispatch: false },
  'dispatch: undefined': { dispatch: undefined },
  dispatch: { dispatch: { shown: 1 } },
  'result: undefined': { result: undefined },
  'result: undefined, dispatch': { result: undefined, dispatch: { shown: 1 } },
  'an etag, a type, and no JSON': {
    http: { headers: { etag: '"a"', 'content-type': 'text/csv' }, status: 202 },
    result: 1n
  },
  'a retry, and no JSON': { http: { headers: { 'retry-after': 5, 'cache-control': 'public' } }, result: { id: 1n } }
}

const setHeaders: Middleware = async (_request, reply) => {
  reply.headers({ 'x-before': 'before', 'set-cookie': ['a=1', 'b=2'] })
  reply.headers({ etag: 'e', 'Last-Modified': 'l', 'content-encoding': 'c', 'x-zero': 0 })
}

async function create(t: { teardown: (end: () => unknown) => unknown }) {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = Fastify({ logger: { stream } })
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  const ask = async (method: 'GET' | 'POST', url: string) => {
    const { statusCode, headers, body } = await app.inject({ method, url, ...(method === 'POST' && { payload: {} }) })
    const { date: _, connection, 'content-length': length, ...others } = headers
    const logged = lines.splice(0).map((line) => JSON.parse(line) as { level: number; msg: string })
    const log = logged
      .map(({ level, msg }) => `${level} ${msg}`)
      .filter((line) => !/^30 (incoming|request comp)/.test(line))
    // What is not as long as it says.
    if (length !== undefined && Number(length) !== Buffer.byteLength(body)) others['content-length'] = length
    return [statusCode, { ...others, ...(connection !== 'keep-alive' && { connection }) }, body, ...log]
  }
  return { app, ask }
}

t.test('what hooks leave in a context: status, headers and body', async (t) => {
  const { app, ask } = await create(t)
  let left: object = {}
  const hook = (context: HookContext) => void Object.assign(context, left)
  const one = async () => ({ id: 1 })
  app.service('things', { get: one, create: one }, { hooks: { after: { all: [hook] } } })
  app.service('nested/:a/things', { get: one }, { before: [setHeaders], hooks: { after: { all: [hook] } } })
  const rows: Record<string, unknown> = {}
  for (const [name, context] of Object.entries(contexts)) {
    left = context
    rows[name] = await ask('GET', '/things/1')
    if (/locat|dispatch|status 20[04]$|cookies|before|twice|no JSON|middleware|nothing/.test(name)) {
      rows[`${name}, of create`] = await ask('POST', '/things')
      rows[`${name}, behind middleware`] = await ask('GET', '/nested/a/things/1')
    }
  }
  isKept(t, rows, 'test/server/whole-contexts.txt')
})

t.test('what is left of a context when a call fails', async (t) => {
  const { app, ask } = await create(t)
  const set = (when: string) => (context: HookContext) => {
    const { in: where = '' } = Object(context.params.query)
    if (String(where).includes(when))
      context.http = { ...context.http, status: 202, headers: { ...context.http.headers, [`x-${when}`]: when } }
  }
  const fail = (when: string) => (context: HookContext) => {
    if (Object(context.params.query).fail === when) throw new BadRequest(`It fails ${when}`)
  }
  const rescue = (context: HookContext) => {
    const { rescue, in: where = '' } = Object(context.params.query)
    if (rescue !== undefined) context.result = { rescued: rescue, seen: Object.keys(context.http ?? {}) }
    if (String(where).includes('error')) context.http.headers = { ...context.http.headers, 'x-error': 'error' }
  }
  const get = async (_id: string, params: { query: { fail?: string } }) => {
    if (params.query.fail === 'inside') throw new BadRequest('It fails inside', { errors: [1] })
    return { id: 1 }
  }
  const hooks = {
    before: { get: [set('early'), fail('before')] },
    after: { get: [set('late'), () => ({ dispatch: { shown: 1 } }), fail('after')] },
    error: { get: [rescue] }
  }
  app.service('things', { get } as object, { hooks, before: [setHeaders] } as object)
  const rows: Record<string, unknown> = {}
  for (const when of ['', 'before', 'inside', 'after'])
    for (const where of ['', 'early', 'late', 'early,late', 'early,error'])
      for (const rescue of ['', '&rescue=1']) {
        const query = `fail=${when}&in=${where}${rescue}`
        rows[query] = await ask('GET', `/things/1?${query}`)
      }
  isKept(t, rows, 'test/server/whole-failures.txt')
})

t.test('which headers of a context are put on a reply of HTTP/1 and of HTTP/2', async (t) => {
  const names = [
    ...['connection', 'Connection', 'HTTP2-Settings', 'keep-alive', 'Proxy-Authenticate', 'proxy-authorization', 'TE'],
    ...[
      'proxy-connection',
      'trailer',
      'TRAILERS',
      'Transfer-Encoding',
      'upgrade',
      'Upgrade-Insecure-Requests',
      'X-More'
    ]
  ]
  const context = { http: { headers: Object.fromEntries(names.map((name) => [name, 'a'])), location: '/b' } }
  const rows = [{}, { stream: {} }].map((raw) => {
    const put: unknown[] = []
    const reply = {
      raw,
      request: {},
      getHeaders: () => ({}),
      headers: (headers: object) => void put.push(headers),
      code: (status: number) => void put.push(status)
    }
    applyContext(context as unknown as HookContext, 200, reply as unknown as FastifyReply)
    return put
  })
  isKept(t, rows, 'test/server/whole-connections.txt')
})
