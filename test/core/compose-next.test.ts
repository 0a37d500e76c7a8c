import { BadRequest } from 'fastify-services'
import t from 'tap'
import { settled } from '../support/core.js'
import { type Around, createGet, fail, label, set } from '../support/core-services.js'

t.test('hook that calls `next()` twice: an error that says so', async (t) => {
  const twice: Around = async function eager(_context, next) {
    await next()
    await next()
  }
  const { calls, get, app } = await createGet(t, [twice])
  await t.rejects(get(), /next\(\) called multiple times by eager of things\.get/)
  t.same(calls, ['get 1'], 'the method ran once')
  const response = await app.inject({ url: '/things/1', headers: { accept: 'application/json' } })
  t.match(response.json(), { code: 500, name: 'GeneralError', message: /next\(\) called multiple times/ })
})

t.test('hook that calls `next()` twice at the same time, or without a name', async (t) => {
  const { calls, get } = await createGet(t, [async (_context, next) => Promise.all([next(), next()])])
  await t.rejects(get(), /next\(\) called multiple times by a hook of things\.get/)
  t.same(calls, ['get 1'])
})

t.test('hook that calls `next()` never: an error that says so', async (t) => {
  const { calls, get } = await createGet(t, [async function forgetful() {}])
  await t.rejects(get(), /next\(\) was not called by forgetful of things\.get, nor was context\.result set/)
  t.same(calls, [], 'the method was not called')
})

t.test('an early result: a hook that sets `context.result` need not call next', async (t) => {
  for (const result of [{ id: 'cached' }, null, 0, '', false]) {
    const { calls, get } = await createGet(t, [set({ result: result as object })])
    t.same(await get(), result)
    t.same(calls, [], `the method was not called for ${JSON.stringify(result)}`)
  }
})

t.test('a result set before `next()` stands in for the method, the inner hooks run', async (t) => {
  const inner: string[] = []
  const set: Around = (context, next) => {
    context.result = { id: 'cached' }
    return next()
  }
  const { calls, get } = await createGet(t, [set, label('inner', inner)])
  t.same(await get(), { id: 'cached' })
  t.same([calls, inner], [[], ['inner in', 'inner out']])
})

t.test('a forgotten `await` of next: the call waits for the method all the same', async (t) => {
  const { get } = await createGet(
    t,
    [
      (_context, next) => {
        next()
      }
    ],
    () => settled().then(() => ({ id: 'late' }))
  )
  t.same(await get(), { id: 'late' })
})

t.test('a forgotten `await` of next: a failure reaches the caller, and does not end the process', async (t) => {
  const late = () => settled().then(fail(new BadRequest('late')))
  const { get } = await createGet(
    t,
    [
      (_context, next) => {
        next()
      }
    ],
    late
  )
  await t.rejects(get(), { message: 'late', code: 400 })
})

t.test('a forgotten `await` of next in a hook that takes longer: the failure is not taken for a success', async (t) => {
  const slow: Around = async (_context, next) => {
    next()
    await settled()
  }
  const { get } = await createGet(t, [slow], fail(new BadRequest('early')))
  await t.rejects(get(), { message: 'early', code: 400 })
})
