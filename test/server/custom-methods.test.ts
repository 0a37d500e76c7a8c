import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder, six } from '../support/recorder.js'

const notAllowed = (method: string) => ({
  status: 405,
  body: {
    name: 'MethodNotAllowed',
    message: `Method \`${method}\` is not supported by this endpoint.`,
    code: 405,
    className: 'method-not-allowed'
  }
})

async function create(t: Test, methods: string[], names: readonly string[] = [...six, 'archive', 'own', '_find']) {
  const { service, calls } = createRecorder(names)
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('mail', service, { methods })
    }
  })
  const call = async (
    name: string,
    options: { url?: string; verb?: string; payload?: string | object; type?: string } = {}
  ) => {
    const { url = '/mail', verb = 'POST', payload, type } = options
    calls.length = 0
    const headers = { 'x-service-method': name, ...(type !== undefined && { 'content-type': type }) }
    return await request(app, verb, url, { headers, ...(payload !== undefined && { payload }) })
  }
  return { app, calls, call }
}

t.test('`POST /path` + `X-Service-Method: name`: `name(data, params)`', async (t) => {
  const { calls, call } = await create(t, ['find', 'create', 'archive'])
  const { status, body } = await call('archive', { url: '/mail?a[b]=1', payload: { id: 7 } })
  t.strictSame([status, body], [200, { method: 'archive', args: [{ id: 7 }], query: { a: { b: '1' } }, route: {} }])
  t.strictSame(Object.keys(calls[0]?.params ?? {}).sort(), ['headers', 'provider', 'query', 'route'])
  t.equal(calls[0]?.params.provider, 'rest')
  t.equal((await call('archive', { url: '/mail/', payload: {} })).status, 200, 'on `/path/` too')
  t.equal(calls[0]?.method, 'archive')
})

t.test('without the header it is `create`', async (t) => {
  const { app, calls } = await create(t, ['create', 'archive'])
  t.equal((await request(app, 'POST', '/mail', { payload: {} })).status, 201)
  t.equal(calls[0]?.method, 'create')
})

t.test("only for a name listed in the service's `methods`: an unlisted own method is 405", async (t) => {
  const { calls, call } = await create(t, ['create', 'archive'])
  for (const name of ['own', '_find', 'Archive', 'ARCHIVE', 'archive2', 'unknown']) {
    const response = await call(name, { payload: {} })
    t.match(response, notAllowed(name), name)
    t.equal(response.headers.allow, 'POST')
    t.strictSame(calls, [])
  }
})

t.test('and not one of the six: 405', async (t) => {
  const { calls, call } = await create(t, [...six, 'archive'])
  for (const name of six) {
    t.match(await call(name, { payload: {} }), notAllowed(name), name)
    t.strictSame(calls, [])
  }
})

t.test('`X-Service-Method`: `constructor`, `toString`, `setup`, `emit`, `hooks`, `__proto__`: 405', async (t) => {
  const { calls, call } = await create(
    t,
    ['create', 'archive'],
    ['create', 'archive', 'setup', 'emit', 'hooks', 'on', 'teardown']
  )
  for (const name of [
    'constructor',
    'toString',
    'setup',
    'teardown',
    'emit',
    'on',
    'hooks',
    '__proto__',
    'prototype',
    'hasOwnProperty',
    'then',
    'app'
  ]) {
    t.match(await call(name, { payload: {} }), notAllowed(name), name)
    t.notOk(calls.some(({ method }) => method === name))
  }
})

t.test('a list `a, b`: 405, also where both are exposed', async (t) => {
  const { calls, call } = await create(t, ['create', 'archive', 'own'])
  for (const name of ['archive, own', 'archive,own', 'archive, archive', 'archive own', 'archive;own']) {
    t.match(await call(name, { payload: {} }), notAllowed(name), name)
    t.strictSame(calls, [])
  }
})

t.test('`X-Service-Method` at the URL of a record, or at a service without any: 405', async (t) => {
  const { calls, call } = await create(t, ['find', 'get', 'archive'])
  t.match(await call('archive', { url: '/mail/1', payload: {} }), notAllowed('archive'))
  t.match(await call('archive', { url: '/things', payload: {} }), notAllowed('archive'))
  t.match(await call('own', { payload: {} }), notAllowed('own'))
  t.strictSame(calls, [])
})

t.test('`X-Service-Method` means nothing to other verbs', async (t) => {
  const { calls, call } = await create(t, [...six, 'archive'])
  for (const [verb, url, method] of [
    ['GET', '/mail', 'find'],
    ['GET', '/mail/1', 'get'],
    ['DELETE', '/mail/1', 'remove']
  ] as const) {
    t.equal((await call('archive', { verb, url })).status, 200)
    t.equal(calls[0]?.method, method)
  }
  t.equal((await call('archive', { verb: 'PATCH', url: '/mail/1', payload: {} })).status, 200)
  t.equal(calls[0]?.method, 'patch')
})

t.test(
  '`Content-Type: application/json` with an empty body is no error by itself: custom methods of real clients send it',
  async (t) => {
    const { calls, call } = await create(t, ['create', 'archive'])
    t.equal((await call('archive', { type: 'application/json', payload: '' })).status, 200)
    t.strictSame(calls[0]?.args, [undefined])
    t.equal((await call('archive')).status, 200)
    t.strictSame(calls[0]?.args, [undefined])
  }
)

t.test('a custom method takes data of any kind', async (t) => {
  const { calls, call } = await create(t, ['create', 'archive'])
  for (const data of [null, 1, 'text', true, [], [{ a: 1 }], { a: 1 }]) {
    t.equal((await call('archive', { type: 'application/json', payload: JSON.stringify(data) })).status, 200)
    t.strictSame(calls[0]?.args, [data])
  }
  t.equal((await call('archive', { type: 'application/x-www-form-urlencoded', payload: 'a[b]=1' })).status, 200)
  t.strictSame(calls[0]?.args, [{ a: { b: '1' } }])
  t.equal((await call('archive', { type: 'application/json', payload: '{' })).status, 400)
  t.equal(
    (await call('archive', { type: 'application/x-www-form-urlencoded', payload: 'a[b][c][d][e][f][g]=1' })).status,
    400
  )
  t.strictSame(calls, [])
})

t.test('a service of custom methods alone: `create` is 405', async (t) => {
  const { app, call } = await create(t, ['archive'], ['archive'])
  t.equal((await call('archive', { payload: {} })).status, 200)
  const { status, headers, body } = await request(app, 'POST', '/mail', { payload: {} })
  t.match({ status, body }, notAllowed('create'))
  t.equal(headers.allow, 'POST')
})

t.test('hooks and middleware of a custom method; two services and a nested one have their own', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const seen: string[] = []
  const options = (name: string) => ({
    methods: ['archive'],
    before: [
      async () => {
        seen.push(`${name} middleware`)
      }
    ],
    hooks: {
      before: {
        archive: [
          ({ path, method, event }: HookContext) => {
            seen.push(`${path} ${method} ${event}`)
          }
        ]
      }
    }
  })
  for (const path of ['a', 'b', 'a/:id/c']) app.service(path, createRecorder(['archive']).service, options(path))
  for (const url of ['/a', '/b', '/a/1/c'])
    t.equal((await request(app, 'POST', url, { headers: { 'x-service-method': 'archive' } })).status, 200)
  t.strictSame(seen, [
    'a middleware',
    'a archive null',
    'b middleware',
    'b archive null',
    'a/:id/c middleware',
    'a/:id/c archive null'
  ])
})

const text = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } }
const days = { type: 'object', required: ['days'], properties: { days: { type: 'integer' } } }

async function createWithSchema(t: Test) {
  const { service, calls } = createRecorder(['create', 'archive', 'own'])
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('mail', service, {
        methods: ['create', 'archive', 'own'],
        schema: { create: { body: text }, archive: { body: days, querystring: days } }
      })
    }
  })
  const call = (name: string | undefined, payload: object, query = '') =>
    request(app, 'POST', `/mail${query}`, { headers: name === undefined ? {} : { 'x-service-method': name }, payload })
  return { calls, call }
}

t.test('`schema.archive` alone governs the custom method `archive`, never `schema.create`', async (t) => {
  const { calls, call } = await createWithSchema(t)
  t.equal((await call('archive', { days: '5' }, '?days=7')).status, 200)
  t.strictSame([calls[0]?.args, calls[0]?.params.query], [[{ days: 5 }], { days: 7 }], 'coerced by its own schema')
  t.match(await call('archive', { text: 'hello' }, '?days=7'), {
    status: 400,
    body: { name: 'BadRequest', errors: [{}] }
  })
  t.match(
    await call('archive', { days: 5 }),
    { status: 400, body: { name: 'BadRequest' } },
    'the query is held to its schema'
  )
  t.equal(calls.length, 1)
})

t.test('`schema.create` governs `create`, never `schema.archive`', async (t) => {
  const { calls, call } = await createWithSchema(t)
  t.equal((await call(undefined, { text: 'hello' })).status, 201)
  t.match(await call(undefined, { days: 5 }, '?days=7'), { status: 400, body: { name: 'BadRequest' } })
  t.strictSame(
    calls.map(({ method }) => method),
    ['create']
  )
})

t.test('a custom method without a schema takes anything', async (t) => {
  const { calls, call } = await createWithSchema(t)
  t.equal((await call('own', { a: 1 })).status, 200)
  t.equal((await call('own', [])).status, 200)
  t.strictSame(
    calls.map(({ args }) => args),
    [[{ a: 1 }], [[]]]
  )
})

t.test('a schema of a custom method holds for each item of a list', async (t) => {
  const { calls, call } = await createWithSchema(t)
  t.equal((await call('archive', [{ days: '1' }, { days: 2 }], '?days=7')).status, 200)
  t.strictSame(calls[0]?.args, [[{ days: 1 }, { days: 2 }]])
  t.match(await call('archive', [{ days: 1 }, {}], '?days=7'), {
    status: 400,
    body: { name: 'BadRequest', message: /body\/1/ }
  })
})

t.test('a custom method is named by a POST alone', async (t) => {
  const { app } = await create(t, ['find', 'archive'])
  for (const [method, name] of [
    ['OPTIONS', 'OPTIONS'],
    ['PATCH', 'patch']
  ] as const) {
    const response = await app.inject({
      method,
      url: '/mail',
      headers: { 'x-service-method': 'archive', accept: 'application/json' }
    })
    t.equal(response.json().message, `Method \`${name}\` is not supported by this endpoint.`)
  }
})
