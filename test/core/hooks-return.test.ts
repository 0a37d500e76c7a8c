import type { HookContext, HookOptions } from 'fastify-services'
import t from 'tap'
import { createBreakable } from '../support/core-services.js'

type Context = HookContext

t.test('a returned object is merged into the context', async (t) => {
  const { get } = await createBreakable(t, {
    before: {
      get: [
        (context) => ({ params: { ...context.params, query: { a: '1' } } }),
        async () => ({ http: { status: 202 } })
      ]
    },
    after: { get: (context) => ({ result: { ...(context.result as object), status: context.statusCode } }) }
  })
  t.same(await get('1'), { id: '1', query: { a: '1' }, status: 202 })
})

t.test('a copy of the context with changes, or the context itself, may be returned', async (t) => {
  const { get } = await createBreakable(t, {
    before: {
      get: [
        (context) => ({ ...context, params: { query: { copied: '1' } } }),
        (context) => context,
        async (context) => context
      ]
    },
    error: { get: () => ({ result: 'recovered' }) }
  })
  t.same(await get('1'), { id: '1', query: { copied: '1' } })
  t.same(await get('broken'), 'recovered')
})

t.test('what is no object is not merged', async (t) => {
  for (const value of [undefined, null, 0, 1, '', 'text', true, () => {}]) {
    const { get } = await createBreakable(t, { before: { get: () => value } })
    t.same(await get('1'), { id: '1' })
  }
})

t.test('`this` is the service, in hooks of every type', async (t) => {
  const seen: unknown[] = []
  function hook(this: unknown, _context: Context) {
    seen.push(this)
  }
  const hooks: HookOptions = {
    around: {
      all: function (this: unknown, _context: Context, next: () => Promise<void>) {
        seen.push(this)
        return next()
      }
    },
    before: { all: hook },
    after: { all: hook },
    error: { all: hook }
  }
  const { get, registered } = await createBreakable(t, hooks, hooks)
  await get('1')
  t.equal(seen.length, 6)
  await t.rejects(get('broken'))
  t.equal(seen.length, 12)
  t.ok(seen.every((self) => self === registered))
})
