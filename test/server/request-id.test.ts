import t from 'tap'
import { createHost, request } from '../support/host.js'

const { stringify } = JSON

t.test('`id` is the decoded last segment, always a string', async (t) => {
  const { app, calls } = await createHost(t)
  const ids: [segment: string, id: string][] = [
    ['1', '1'],
    ['0', '0'],
    ['true', 'true'],
    ['1e3', '1e3'],
    ['a%20b', 'a b'],
    ['a+b', 'a+b'],
    ['%C3%A9', 'é'],
    ['%F0%9F%98%80', '😀'],
    ['a.b', 'a.b'],
    ['...', '...'],
    ['a,b', 'a,b'],
    ['a;b', 'a;b'],
    ['%3F', '?'],
    ['%23', '#'],
    ['-', '-'],
    ['%22', '"'],
    [':id', ':id'],
    ['*', '*']
  ]
  for (const [segment, id] of ids) {
    calls.length = 0
    for (const [verb, payload] of [['GET'], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
      t.equal((await request(app, verb, `/things/${segment}`, payload && { payload })).status, 200)
    }
    t.strictSame(
      calls.map(({ args }) => args[0]),
      [id, id, id, id],
      stringify(segment)
    )
  }
})

t.test('`null`, `undefined` and `__proto__` in the URL are just strings', async (t) => {
  const { app, calls } = await createHost(t)
  for (const id of ['null', 'undefined', '__proto__', 'constructor', 'toString', 'NaN', '[object Object]']) {
    calls.length = 0
    await request(app, 'GET', `/things/${encodeURIComponent(id)}`)
    await request(app, 'DELETE', `/things/${encodeURIComponent(id)}`)
    t.strictSame(
      calls.map(({ method, args }) => [method, args]),
      [
        ['get', [id]],
        ['remove', [id]]
      ]
    )
  }
})

t.test('decoded once and handed to the service: `%2F`, `a%2Fb`, `%00`, `%252F`', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [segment, id] of [
    ['%2F', '/'],
    ['a%2Fb', 'a/b'],
    ['%00', '\0'],
    ['%252F', '%2F'],
    ['%25', '%'],
    ['a%2F', 'a/'],
    ['%20', ' ']
  ]) {
    calls.length = 0
    t.equal((await request(app, 'DELETE', `/things/${segment}`)).status, 200)
    t.strictSame(
      calls.map(({ args }) => args),
      [[id]],
      stringify(segment)
    )
  }
})

t.test('an id stays in its case where paths are `caseSensitive: false`', async (t) => {
  const { app, calls } = await createHost(t, { server: { routerOptions: { caseSensitive: false } } })
  t.equal((await request(app, 'GET', '/THINGS/AbC')).status, 200)
  t.strictSame(calls[0]?.args, ['AbC'])
})

t.test('an id that is longer than the `maxParamLength` of the host is refused, a shorter one is not', async (t) => {
  const { app, calls } = await createHost(t)
  t.equal((await request(app, 'GET', `/things/${'x'.repeat(100)}`)).status, 200)
  t.equal((await request(app, 'GET', `/things/${'x'.repeat(101)}`)).status, 414)
  t.equal(calls.length, 1)
  const wide = await createHost(t, { server: { routerOptions: { maxParamLength: 5000 } } })
  t.equal((await request(wide.app, 'GET', `/things/${'x'.repeat(5000)}`)).status, 200)
  t.strictSame(wide.calls[0]?.args, ['x'.repeat(5000)])
})

t.test('an id behind more segments is no id: 404', async (t) => {
  const { app, calls } = await createHost(t)
  for (const verb of ['GET', 'PUT', 'PATCH', 'DELETE'])
    t.equal((await request(app, verb, '/things/1/2')).status, 404, verb)
  t.equal(calls.length, 0)
})
