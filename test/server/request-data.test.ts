import t from 'tap'
import { createHost, request } from '../support/host.js'
import { createApp } from '../support/response-app.js'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const targets = [
  ['POST', '/things', 'create'],
  ['PUT', '/things/1', 'update'],
  ['PUT', '/things', 'update'],
  ['PATCH', '/things/1', 'patch'],
  ['PATCH', '/things', 'patch']
] as const
const badRequest = (message: string) => ({
  status: 400,
  body: { name: 'BadRequest', message, code: 400, className: 'bad-request' }
})

t.test('`create`, `update`, `patch` without a body: 400 BadRequest `No data provided`', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [verb, url] of targets) {
    t.match(await request(app, verb, url), badRequest('No data provided'), `${verb} ${url}`)
    t.match(
      await request(app, verb, url, { headers: json, payload: '' }),
      badRequest('No data provided'),
      `${verb} ${url}: empty JSON`
    )
    t.match(
      await request(app, verb, url, { headers: { ...json, 'content-length': '0' } }),
      badRequest('No data provided'),
      `${verb} ${url}: length 0`
    )
  }
  t.strictSame(calls, [])
})

t.test('without a body: an empty urlencoded one is none either', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [verb, url] of targets) {
    t.match(
      await request(app, verb, url, { headers: form, payload: '' }),
      badRequest('No data provided'),
      `${verb} ${url}`
    )
  }
  t.strictSame(calls, [])
})

t.test(
  "JSON body that is not an object: `First parameter for 'create' must be an object` (`Second parameter for 'update' …`)",
  async (t) => {
    const { app, calls } = await createHost(t)
    for (const [verb, url, method] of targets) {
      const message = `${method === 'create' ? 'First' : 'Second'} parameter for '${method}' must be an object`
      for (const payload of ['null', '1', '"s"', 'true', ...(method === 'create' ? [] : ['[]', '[{}]'])]) {
        t.match(
          await request(app, verb, url, { headers: json, payload }),
          badRequest(message),
          `${verb} ${url} ${payload}`
        )
      }
    }
    t.strictSame(calls, [])
  }
)

t.test('`Content-Type: application/json` with an empty body is no error by itself: `DELETE`', async (t) => {
  const { app, calls } = await createHost(t)
  for (const url of ['/things/1', '/things']) {
    t.equal((await request(app, 'DELETE', url, { headers: json })).status, 200)
    t.equal((await request(app, 'DELETE', url, { headers: json, payload: '' })).status, 200)
  }
  t.strictSame(
    calls.map(({ args }) => args),
    [['1'], ['1'], [null], [null]]
  )
})

t.test('`application/json` in its spellings', async (t) => {
  const { app, calls } = await createHost(t)
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON'
  ]) {
    t.equal(
      (await request(app, 'POST', '/things', { headers: { 'content-type': type }, payload: '{"é":"😀"}' })).status,
      201,
      type
    )
  }
  for (const { args } of calls) t.strictSame(args, [{ é: '😀' }])
})

t.test('`application/x-www-form-urlencoded` is parsed in the extended (nested) form', async (t) => {
  const { app, calls } = await createHost(t)
  t.equal(
    (
      await request(app, 'POST', '/things', {
        headers: form,
        payload: 'text=a+b%26&tags[]=x&tags[]=y&by[name][first]=Ada'
      })
    ).status,
    201
  )
  t.equal(
    (
      await request(app, 'PATCH', '/things/1', {
        headers: { 'content-type': `${form['content-type']}; charset=utf-8` },
        payload: 'a=1'
      })
    ).status,
    200
  )
  t.strictSame(
    calls.map(({ args }) => args),
    [[{ text: 'a b&', tags: ['x', 'y'], by: { name: { first: 'Ada' } } }], ['1', { a: '1' }]]
  )
})

t.test('a form, with the same rules as the query: limits, lists, names of `Object.prototype`', async (t) => {
  const { app, calls } = await createHost(t)
  const post = (payload: string) => request(app, 'POST', '/things', { headers: form, payload })
  t.match(await post(Array.from({ length: 1001 }, (_, i) => `a${i}=1`).join('&')), {
    status: 400,
    body: { name: 'BadRequest' }
  })
  t.match(await post('a[b][c][d][e][f][g]=1'), { status: 400, body: { name: 'BadRequest' } })
  t.strictSame(calls, [])
  await post(Array.from({ length: 21 }, () => 'a[]=1').join('&'))
  await post('__proto__[polluted]=1&a[__proto__][x]=1&constructor[prototype][x]=1&b=2')
  const [list, names] = calls.map(({ args }) => args[0] as Record<string, unknown>)
  t.notOk(Array.isArray(list?.a))
  t.equal(Object.keys(list?.a as object).length, 21)
  t.strictSame(names, { b: '2' })
})

t.test('a form is parsed by the `query` option as well', async (t) => {
  const { app, calls } = await createHost(t, { plugin: { query: { depth: 6, arrayLimit: 1000 } } })
  const payload = `a[b][c][d][e][f][g]=1&${Array.from({ length: 21 }, () => 'x[]=1').join('&')}`
  t.equal((await request(app, 'POST', '/things', { headers: form, payload })).status, 201)
  t.strictSame(calls[0]?.args, [{ a: { b: { c: { d: { e: { f: { g: '1' } } } } } }, x: Array(21).fill('1') }])
})

const bad = [[null], [1], ['s'], [true], [[]], [[{}]], [{}, null], [{}, {}, 'x']]

for (const schema of [undefined, { create: { body: { type: 'object' } } }])
  t.test(`each record of a batch is an object: ${schema ? 'with' : 'without'} a schema`, async (t) => {
    const calls: unknown[] = []
    const service = {
      async create(data: unknown) {
        calls.push(data)
        return data
      }
    }
    const app = await createApp(t, { service, options: schema ? { schema } : {} })
    for (const payload of bad) {
      const headers = { accept: 'application/json' }
      const response = await app.inject({ method: 'POST', url: '/things', headers, payload })
      t.equal(response.statusCode, 400, JSON.stringify(payload))
      t.match(response.json(), { name: 'BadRequest', message: /^First parameter for 'create' must be an object/ })
      await t.rejects(app.service('things').create(payload), { code: 400 }, `${JSON.stringify(payload)} of the server`)
    }
    t.strictSame(calls, [])
    for (const payload of [[], [{ id: 1 }], [{}, {}]]) {
      const response = await app.inject({ method: 'POST', url: '/things', payload })
      t.equal(response.statusCode, 201)
      t.strictSame(response.json(), payload)
    }
  })

t.test('a list is no data of `update` and `patch`', async (t) => {
  const service = { update: async () => ({}), patch: async () => ({}) }
  const app = await createApp(t, { service })
  for (const method of ['PUT', 'PATCH'] as const)
    t.equal((await app.inject({ method, url: '/things/1', payload: [{}] })).statusCode, 400)
})

t.test('the data is checked when the service is called: middleware before it may supply the body', async (t) => {
  const service = { create: async (data: object) => data }
  const app = await createApp(t, {
    service,
    options: {
      before: async (request) => {
        if (request.headers['x-supply']) request.body = JSON.parse(String(request.headers['x-supply']))
      }
    }
  })
  const ask = (supplied?: string) =>
    app.inject({
      method: 'POST',
      url: '/things',
      headers: { accept: 'application/json', ...(supplied && { 'x-supply': supplied }) }
    })
  t.match((await ask()).json(), { code: 400, message: 'No data provided' })
  t.match((await ask('{"a":1}')).json(), { a: 1 })
  t.match((await ask('"text"')).json(), { code: 400, message: "First parameter for 'create' must be an object" })
})
