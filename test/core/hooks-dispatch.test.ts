import type { HookContext } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp } from '../support/core.js'
import { fail, set } from '../support/core-services.js'

const hidden = { dispatch: { of: 'the run that failed' }, http: { status: 202, headers: { 'x-failed': 'yes' } } }
const takeBack = set({ result: { of: 'the hook' } })

async function ask(t: Test, hooks: object) {
  const { app } = await createApp(t)
  app.service('things', { get: async (_id: string) => ({ id: 1 }) }, { hooks })
  return app.inject('/things/1')
}

const ways: Record<string, object> = {
  'an error hook': { error: { get: [takeBack] }, after: { get: [set(hidden), fail(new Error('x'))] } },
  'an error hook for all methods': { error: { all: [takeBack] }, after: { get: [set(hidden), fail(new Error('x'))] } },
  'an around hook': {
    around: {
      get: [
        async (context: HookContext, next: () => Promise<void>) => {
          try {
            await next()
          } catch {
            context.result = { of: 'the hook' } as never
          }
        },
        async (context: HookContext, next: () => Promise<void>) => {
          await next()
          Object.assign(context, hidden)
          throw new Error('x')
        }
      ]
    }
  }
}

for (const [name, hooks] of Object.entries(ways))
  t.test(`an error that is taken back sends nothing of the run that failed: ${name}`, async (t) => {
    const response = await ask(t, hooks)
    t.strictSame(response.json(), { of: 'the hook' })
    t.equal(response.statusCode, 200)
    t.notOk('x-failed' in response.headers)
  })

t.test('what hooks have said before the method ran stays, as does what the hook says that takes it back', async (t) => {
  const response = await ask(t, {
    before: { get: [set({ http: { headers: { 'x-before': 'yes' } } })] },
    after: { get: [set(hidden), fail(new Error('x'))] },
    error: {
      get: [
        (context: HookContext) => {
          context.result = {} as never
          context.dispatch = { of: 'the error hook' }
          context.statusCode = 203
        }
      ]
    }
  })
  t.strictSame(response.json(), { of: 'the error hook' })
  t.equal(response.statusCode, 203)
  t.equal(response.headers['x-before'], 'yes')
  t.notOk('x-failed' in response.headers)
})

t.test('an around hook that swallows the error and keeps the result keeps what was to leave for it', async (t) => {
  const swallow = async (_context: HookContext, next: () => Promise<void>) => {
    await next().catch(() => {})
  }
  const response = await ask(t, { around: { get: [swallow] }, after: { get: [set(hidden), fail(new Error('x'))] } })
  t.strictSame(response.json(), hidden.dispatch)
})
