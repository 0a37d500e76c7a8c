import { BadRequest } from 'fastify-services'
import t from 'tap'
import { type Around, createGet, fail, label } from '../support/core-services.js'

t.test('around hooks run in order, the first one outermost', async (t) => {
  const order: string[] = []
  const { calls, get } = await createGet(t, [label('a', order), label('b', order), label('c', order)], () =>
    order.push('get')
  )
  await get()
  t.same(order, ['a in', 'b in', 'c in', 'get', 'c out', 'b out', 'a out'])
  t.same(calls, ['get 1'])
})

t.test('after `await next()` the result is there, and may be changed', async (t) => {
  const { get } = await createGet(t, [
    async (context, next) => {
      await next()
      context.result = { ...(context.result as object), seen: true }
    }
  ])
  t.same(await get(), { id: '1', seen: true })
})

t.test('an error in the middle skips what is inner, and passes through what is outer', async (t) => {
  const order: string[] = []
  const outer: Around = async (_context, next) => {
    await next().catch((error: Error) => {
      order.push(`outer caught ${error.message}`)
      throw error
    })
  }
  const { calls, get } = await createGet(t, [outer, label('a', order), fail(new BadRequest('no')), label('b', order)])
  await t.rejects(get(), { message: 'no' })
  t.same(order, ['a in', 'outer caught no'])
  t.same(calls, [])
})

t.test('an around hook may recover from an error', async (t) => {
  const recover: Around = (context, next) =>
    next().catch(() => {
      context.result = { id: 'recovered' }
    })
  const { get } = await createGet(t, [recover], fail(new Error('broken')))
  t.same(await get(), { id: 'recovered' })
})

for (const thrown of ['text', 42, null, undefined, {}]) {
  t.test(`throw of ${JSON.stringify(thrown)} in a hook passes as it is`, async (t) => {
    const { get } = await createGet(t, [async (_context, next) => next(), fail(thrown)])
    const caught = await get().then(
      () => t.fail('it must reject'),
      (error: unknown) => ({ error })
    )
    t.equal((caught as { error: unknown }).error, thrown)
  })
}
