import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

const text = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } }
const days = { type: 'object', required: ['days'], properties: { days: { type: 'integer' } } }

async function create(t: Test) {
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
  const { calls, call } = await create(t)
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
  const { calls, call } = await create(t)
  t.equal((await call(undefined, { text: 'hello' })).status, 201)
  t.match(await call(undefined, { days: 5 }, '?days=7'), { status: 400, body: { name: 'BadRequest' } })
  t.strictSame(
    calls.map(({ method }) => method),
    ['create']
  )
})

t.test('a custom method without a schema takes anything', async (t) => {
  const { calls, call } = await create(t)
  t.equal((await call('own', { a: 1 })).status, 200)
  t.equal((await call('own', [])).status, 200)
  t.strictSame(
    calls.map(({ args }) => args),
    [[{ a: 1 }], [[]]]
  )
})

t.test('a schema of a custom method holds for each item of a list', async (t) => {
  const { calls, call } = await create(t)
  t.equal((await call('archive', [{ days: '1' }, { days: 2 }], '?days=7')).status, 200)
  t.strictSame(calls[0]?.args, [[{ days: 1 }, { days: 2 }]])
  t.match(await call('archive', [{ days: 1 }, {}], '?days=7'), {
    status: 400,
    body: { name: 'BadRequest', message: /body\/1/ }
  })
})
