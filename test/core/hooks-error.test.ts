import type { FastifyInstance } from 'fastify'
import { Conflict, type Hook, type HookContext, type HookOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { type HookPosition, withTraits } from '../../lib/core/hooks.js'
import { createApp } from '../support/core.js'
import { createBreakable, fail, set } from '../support/core-services.js'

type Context = HookContext

t.test('error hook replaces the error by throwing another one', async (t) => {
  const { get } = await createBreakable(t, {
    error: {
      get: (context) => {
        throw new Conflict(`was: ${(context.error as Error).message}`)
      }
    }
  })
  await t.rejects(get('broken'), { constructor: Conflict, message: 'was: broken' })
})

t.test('error hook replaces the error in `context.error`', async (t) => {
  const { get } = await createBreakable(t, {
    error: {
      all: set({ error: new Conflict('instead') })
    }
  })
  await t.rejects(get('broken'), { constructor: Conflict, message: 'instead' })
})

t.test('the next error hook, further out, gets the replaced error', async (t) => {
  const seen: unknown[] = []
  const see: Hook<Context> = (context) => {
    seen.push((context.error as Error).message)
  }
  const { get } = await createBreakable(
    t,
    {
      error: {
        get: [see, set({ error: new Error('second') }), see],
        all: [see, fail(new Error('third'))]
      }
    },
    { error: { all: see } }
  )
  await t.rejects(get('broken'), { message: 'third' })
  t.same(seen, ['broken', 'second', 'second', 'third'])
})

t.test('after an error hook that threw, `context.error` is what it threw', async (t) => {
  const seen: unknown[] = []
  const { get } = await createBreakable(t, {
    around: {
      all: (context, next) =>
        next().catch((error) => {
          seen.push(context.error === error)
          throw error
        })
    },
    error: {
      get: fail(new Conflict('instead'))
    }
  })
  await t.rejects(get('broken'), { message: 'instead' })
  t.same(seen, [true])
})

for (const result of [{ id: 'recovered' }, null, 0, '', false]) {
  t.test(`error hook sets a result (${JSON.stringify(result)}) and takes the error back`, async (t) => {
    const outer: string[] = []
    const { get } = await createBreakable(
      t,
      {
        error: {
          get: set({ result: result })
        }
      },
      {
        error: {
          all: () => {
            outer.push('error')
          }
        },
        after: {
          all: () => {
            outer.push('after')
          }
        }
      }
    )
    t.same(await get('broken'), result)
    t.same(outer, ['after'], 'further out it is a success')
  })
}

t.test('an error in an after hook: the result of the method is no longer there', async (t) => {
  const seen: unknown[] = []
  const { get, service } = await createBreakable(t, {
    after: {
      get: fail(new Error('too late'))
    },
    error: {
      get: (context) => {
        seen.push(context.result, context.type)
      }
    }
  })
  await t.rejects(get('1'), { message: 'too late' })
  t.same(seen, [undefined, 'error'])
  t.equal(service.calls, 1)
})

for (const thrown of ['text', 42, 0, '', false, {}]) {
  t.test(`throw of ${JSON.stringify(thrown)} passes through error hooks as it is`, async (t) => {
    const seen: unknown[] = []
    const { get } = await createBreakable(t, {
      before: {
        get: fail(thrown)
      },
      error: {
        get: (context) => {
          seen.push(context.error)
        }
      }
    })
    const caught = await get('1').then(
      () => t.fail('it must reject'),
      (error: unknown) => error
    )
    t.equal(caught, thrown)
    t.same(seen, [thrown])
  })
}

for (const thrown of [null, undefined]) {
  t.test(`throw of \`${thrown}\` gives error hooks an error`, async (t) => {
    const seen: unknown[] = []
    const hooks = {
      before: {
        get: fail(thrown)
      },
      error: {
        get: (context: Context) => {
          seen.push(context.error)
        }
      }
    }
    const { get } = await createBreakable(t, hooks)
    await t.rejects(get('1'), { message: `${thrown} was thrown` })
    t.match(seen, [Error], 'there is something to look at')
    const inErrorHook = await createBreakable(t, {
      error: {
        get: fail(thrown)
      }
    })
    await t.rejects(inErrorHook.get('broken'), 'in an error hook too')
  })
}

t.test('an error hook that takes `context.error` away without a result does not make it a success', async (t) => {
  for (const error of [null, undefined]) {
    const { get } = await createBreakable(t, {
      error: {
        get: set({ error: error })
      }
    })
    await t.rejects(get('broken'), { message: 'broken' })
  }
})

/** A hook that says where it was asked. */
function asking(asked: HookPosition[], fails = false) {
  const hook = async (_context: unknown, next?: () => Promise<void>) => next?.()
  const check = (place: HookPosition) => {
    asked.push(place)
    if (fails) throw new Error(`It can't work at '${place.path}'`)
  }
  return withTraits(hook, { check })
}

const ready = (app: FastifyInstance) => async () => void (await app.ready())
const service = () => ({ get: async (id: string) => ({ id }), find: async () => [] })

async function createAsked(t: Test, hooks: (hook: ReturnType<typeof asking>) => object) {
  const asked: HookPosition[] = []
  const { app } = await createApp(t)
  const things = app.service('things', service(), { hooks: hooks(asking(asked)) as HookOptions })
  return { app, asked, things }
}

for (const type of ['around', 'before', 'after', 'error'])
  t.test(`a hook for '${type}' is asked once before the start, with its place`, async (t) => {
    for (const method of ['all', 'get']) {
      const { app, asked, things } = await createAsked(t, (hook) => ({ [type]: { [method]: [hook] } }))
      t.strictSame(asked, [], 'not at registration')
      await app.ready()
      t.equal(asked.length, 1)
      const [place] = asked
      t.strictSame([place?.path, place?.type], ['things', type])
      t.equal(place?.app, app)
      t.equal(place?.service, things)
      await things.get('1')
      t.equal(asked.length, 1, 'not at a call')
    }
  })

t.test('a hook is asked in each place where it stands', async (t) => {
  const asked: HookPosition[] = []
  const hook = asking(asked)
  const { app } = await createApp(t, { hooks: { around: { all: [hook] } } })
  app.service('one', service(), { hooks: { before: { get: [hook], find: [hook] } } as HookOptions })
  await app.register(
    async (child) => {
      child.service('two', service())
      t.equal(asked.length, 0)
    },
    { prefix: '/v1' }
  )
  app.service('one').hooks({ after: { get: [hook] } } as object)
  await app.ready()
  t.strictSame(
    asked.map(({ path, type }) => `${path} ${type}`),
    ['one around', 'one before', 'one before', 'one after', 'v1/two around']
  )
  t.equal(asked[0]?.app, app)
  t.not(asked[4]?.app, app, 'the instance that the service was registered on')
})

t.test('a hook that can not work keeps the server from starting, before the set-up of any service', async (t) => {
  const { app } = await createApp(t)
  const setUp: string[] = []
  app.service('one', { ...service(), setup: async () => setUp.push('one') })
  app.service('two', service(), { hooks: { around: { get: [asking([], true)] } } as HookOptions })
  await t.rejects(ready(app), { message: "It can't work at 'two'" })
  t.strictSame(setUp, [])
})

t.test('a hook of a service with `setup` is asked where setup() stands in for ready()', async (t) => {
  const { app, asked } = await createAsked(t, (hook) => ({ before: { all: [hook] } }))
  await app.setup()
  t.equal(asked.length, 1)
})

t.test('a hook that is added later is not asked', async (t) => {
  const { app, asked, things } = await createAsked(t, () => ({}))
  await app.ready()
  things.hooks({ before: { get: [asking(asked, true)] } } as object)
  t.match(await things.get('1'), { id: '1' })
  t.strictSame(asked, [])
})
