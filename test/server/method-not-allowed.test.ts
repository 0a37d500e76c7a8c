import t from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder, six } from '../support/recorder.js'

const verbs = { find: 'GET', get: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', remove: 'DELETE' } as const
const notAllowed = (method: string) => ({
  name: 'MethodNotAllowed',
  message: `Method \`${method}\` is not supported by this endpoint.`,
  code: 405,
  className: 'method-not-allowed'
})

t.test(
  'A registered path with a method that the service lacks is 405 with an `Allow` header and the message',
  async (t) => {
    const { app } = await createHost(t, {
      after: (app) => {
        for (const lacking of six)
          app.service(`no-${lacking}`, createRecorder(six.filter((name) => name !== lacking)).service)
      }
    })
    for (const lacking of six) {
      const url = `/no-${lacking}${lacking === 'find' || lacking === 'create' ? '' : '/1'}`
      const { status, headers, body } = await request(
        app,
        verbs[lacking],
        url,
        verbs[lacking] === 'GET' || lacking === 'remove' ? {} : { payload: {} }
      )
      t.strictSame([status, body], [405, notAllowed(lacking)], lacking)
      const allowed = `${headers.allow}`.split(', ')
      t.notOk(allowed.includes(verbs[lacking]), `Allow: ${headers.allow}`)
      const others = url.endsWith('/1')
        ? ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']
        : ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
      t.strictSame(
        allowed,
        others.filter((verb) => verb !== verbs[lacking] && !(verb === 'HEAD' && verbs[lacking] === 'GET'))
      )
    }
  }
)

t.test('(or does not expose): the option `methods`', async (t) => {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('shy', service, { methods: ['find'] })
    }
  })
  t.equal((await request(app, 'GET', '/shy')).status, 200)
  for (const [verb, url, method] of [
    ['GET', '/shy/1', 'get'],
    ['POST', '/shy', 'create'],
    ['PUT', '/shy/1', 'update'],
    ['PUT', '/shy', 'update'],
    ['PATCH', '/shy', 'patch'],
    ['DELETE', '/shy/1', 'remove'],
    ['DELETE', '/shy', 'remove']
  ] as const) {
    const { status, body } = await request(app, verb, url)
    t.strictSame([status, body], [405, notAllowed(method)], `${verb} ${url}`)
  }
  t.equal(calls.length, 1)
  await app.service<typeof service>('shy').get?.('1')
  t.equal(calls.length, 2, 'the server itself may call it')
})

t.test('the check comes before the body is looked at', async (t) => {
  const { app } = await createHost(t, {
    server: { bodyLimit: 100 },
    after: (app) => {
      app.service('words', { find: async () => [] })
    }
  })
  for (const [type, payload] of [
    ['application/json', '{'],
    ['text/plain', 'x'],
    ['application/json', ''],
    ['application/json', `"${'x'.repeat(200)}"`]
  ]) {
    for (const [verb, url] of [
      ['POST', '/words'],
      ['PUT', '/words/1'],
      ['PATCH', '/words'],
      ['POST', '/things/1']
    ] as const) {
      t.equal(
        (await request(app, verb, url, { headers: { 'content-type': type ?? '' }, payload: payload ?? '' })).status,
        405,
        `${verb} ${type}`
      )
    }
  }
})

t.test('OPTIONS and TRACE on a service, POST on `/path/id`: 405 with `Allow`', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [verb, url, allow] of [
    ['OPTIONS', '/things', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
    ['TRACE', '/things', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
    ['OPTIONS', '/things/', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
    ['OPTIONS', '/things/1', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['TRACE', '/things/1', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['POST', '/things/1', 'GET, HEAD, PUT, PATCH, DELETE']
  ] as const) {
    const { status, headers, body } = await request(app, verb, `${url}?a=1`)
    t.strictSame(
      [status, headers.allow, body],
      [405, allow, notAllowed(verb === 'POST' ? 'create' : verb)],
      `${verb} ${url}`
    )
  }
  t.strictSame(calls, [])
})

t.test('405 for the path in all its spellings that the router takes', async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      for (const path of ['words', 'día', 'two words', 'a.b', 'in/:lang/words'])
        app.service(path, { find: async () => [] })
    }
  })
  for (const url of [
    '/words',
    '/words/',
    '/w%6Frds',
    '/words?a=/b',
    '/words#a',
    '/d%C3%ADa',
    '/d%c3%ada',
    '/two%20words',
    '/a.b',
    '/in/de/words',
    '/in/a%2Fb/words'
  ]) {
    t.equal((await request(app, 'GET', url)).status, 200, `GET ${url}`)
    t.equal((await request(app, 'POST', url, { payload: {} })).status, 405, `POST ${url}`)
  }
  for (const url of ['/aXb', '/wordsx', '/words/1/2', '/in/words'])
    t.equal((await request(app, 'POST', url, { payload: {} })).status, 404, url)
})

t.test('405 where the host reads paths in its own way', async (t) => {
  for (const [server, url] of [
    [{ routerOptions: { ignoreTrailingSlash: true } }, '/words/'],
    [{ routerOptions: { ignoreDuplicateSlashes: true } }, '//words'],
    [{ routerOptions: { caseSensitive: false } }, '/WORDS'],
    [{ caseSensitive: false }, '/Words'],
    [{ useSemicolonDelimiter: true }, '/words;a=1'],
    [{ rewriteUrl: ({ url = '' }) => url.replace('/api', '') }, '/api/words']
  ] as [NonNullable<Parameters<typeof createHost>[1]>['server'], string][]) {
    const { app } = await createHost(t, {
      server: server ?? {},
      after: (app) => {
        app.service('words', { find: async () => [] })
      }
    })
    t.equal((await request(app, 'GET', url)).status, 200, `GET ${url}`)
    t.equal((await request(app, 'POST', url, { payload: {} })).status, 405, `POST ${url}`)
  }
})
