import type { HookContext, HookOptions } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { createProtected, open, type ProtectedOptions, record } from '../support/auth-passwords-protect.js'

type Hook = (context: HookContext, next: () => Promise<void>) => unknown

const protection = { around: { all: [protect('secret', 'pin')] } }
const answers: Record<string, HookOptions> = {
  'a cache: an around hook that does not call next': {
    around: { get: [async (context: HookContext) => void Object.assign(context, { result: record() })] }
  },
  'a cache: a before hook that sets the result': {
    before: { get: [(context: HookContext) => void Object.assign(context, { result: record() })] }
  },
  'an after hook that sets the result': {
    after: { get: [(context: HookContext) => void Object.assign(context, { result: record() })] }
  },
  'an around hook that sets dispatch before and after': {
    around: {
      get: [
        async (context: HookContext, next: Parameters<Hook>[1]) => {
          context.dispatch = { id: 7, secret: 'early' }
          await next()
          context.dispatch = record()
        }
      ]
    }
  },
  'an after hook that sets dispatch': {
    after: { get: [(context: HookContext) => void Object.assign(context, { dispatch: record() })] }
  },
  'a before hook that sets dispatch': {
    before: { get: [(context: HookContext) => void Object.assign(context, { dispatch: record() })] }
  },
  'an error hook that sets the result': {
    before: {
      get: [
        () => {
          throw new Error('no')
        }
      ]
    },
    error: { get: [(context: HookContext) => void Object.assign(context, { result: record() })] }
  }
}

/** The same hooks in each place where they can stand. */
const places: Record<string, (hooks: HookOptions) => ProtectedOptions & { added?: HookOptions[] }> = {
  'added before': (hooks) => ({ hooks, added: [protection as HookOptions] }),
  'added after': (hooks) => ({ added: [hooks] }),
  'for all services': (hooks) => ({ plugin: { hooks: hooks as object } }),
  'of the service, with protect for all services': (hooks) => ({ hooks, plugin: { hooks: protection } })
}

for (const [name, hooks] of Object.entries(answers))
  for (const [place, options] of Object.entries(places))
    t.test(`protect stands outside of ${name}, ${place}`, async (t) => {
      const { added = [], ...given } = options(hooks)
      const { send, things } = await createProtected(t, given)
      for (const more of added) things.hooks(more as object)
      const { status, body } = await send('GET', '/things/1')
      t.strictSame([status, body], [200, open()])
      t.match(await things.get(1), { secret: 's3cret' }, 'the internal result keeps it')
    })

t.test('protect stands outside of hooks that are added while the server runs', async (t) => {
  const { app, send, things } = await createProtected(t, {})
  await app.ready()
  things.hooks({
    around: { all: [async (context: HookContext) => void Object.assign(context, { result: record(9) })] }
  })
  things.hooks({ after: { all: [(context: HookContext) => void Object.assign(context, { dispatch: record(8) })] } })
  t.strictSame((await send('GET', '/things/1')).body, open(9), 'the cache ends the call')
})

t.test('protect leaves what an outer hook can see, to a cache too', async (t) => {
  const cached: unknown[] = []
  const { send } = await createProtected(t, {
    plugin: {
      hooks: {
        around: {
          all: [
            async (context, next) => {
              await next()
              cached.push(context.result)
            }
          ]
        }
      }
    }
  })
  await send('GET', '/things/1')
  t.strictSame(cached, [record()], 'it stands outside of that, so a cache serves the server as well')
})

t.test('an error passes', async (t) => {
  const { send } = await createProtected(t, {
    answer: () => {
      throw Object.assign(new Error('no'), { statusCode: 409 })
    }
  })
  t.match(await send('GET', '/things/1'), { status: 409, body: { message: 'no' } })
})
