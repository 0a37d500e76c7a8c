import { Readable } from 'node:stream'
import { BadRequest, type HookContext, type HookOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, settled } from '../support/core.js'
import { type Around, createBreakable, createGet, fail, label, set } from '../support/core-services.js'

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
  for (const result of [{ id: 'cached' }, null, 0, '', false, undefined]) {
    const { calls, get } = await createGet(t, [set({ result: result as object })])
    t.same(await get(), result)
    t.same(calls, [], `the method was not called for ${JSON.stringify(result)}`)
  }
})

t.test('a before hook that sets `context.result` ends the call, also with what gives nothing', async (t) => {
  const { app } = await createApp(t)
  const calls: string[] = []
  const remove = async (id: string) => void calls.push(`removed ${id}`)
  const hide = async (id: unknown) => void calls.push(`hidden ${id}`)
  const things = app.service('things', { remove })
  things.hooks({
    before: { remove: async (context) => void Object.assign(context, { result: await hide(context.id) }) }
  })
  t.equal(await things.remove('1'), undefined)
  t.strictSame(calls, ['hidden 1'])
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

/** A hook with a result of its own that does not wait for the method. */
const hasty: Around = async (context, next) => {
  next()
  context.result = { id: 'own' }
}

t.test('a forgotten `await` of next, and a result of the hook: the call ends after the method', async (t) => {
  const ended: string[] = []
  const late = async () => {
    await settled()
    ended.push('method')
    return { id: 'late' }
  }
  const { get } = await createGet(t, [hasty], late)
  await get()
  t.same(ended, ['method'])
})

t.test(
  'a forgotten `await` of next, and a result of the hook: a failure of the method is that of the call',
  async (t) => {
    const { get } = await createGet(t, [hasty], () => settled().then(fail(new BadRequest('late'))))
    await t.rejects(get(), { message: 'late', code: 400 })
  }
)

t.test('a hook that returns no object leaves the context as it is', async (t) => {
  const withResult = Object.assign(() => {}, { result: 'of a function' })
  for (const value of [undefined, null, 0, '', 'text', true, Symbol('s'), withResult]) {
    const seen: string[][] = []
    const look = (context: HookContext) => void seen.push(Object.keys(context))
    const { get } = await createBreakable(t, { before: { get: [look, () => value as undefined, look] } })
    t.same(await get('1'), { id: '1' })
    t.same(seen[1], seen[0], typeof value)
  }
})

t.test('streams that a later hook replaces are closed', async (t) => {
  for (const type of ['after', 'around']) {
    const streams = [0, 1].map(() => Readable.from(['text']))
    const results = [...streams, 'last']
    const hook = async (context: HookContext, next?: () => Promise<void>) => {
      await next?.()
      context.result = results.shift() as never
    }
    const response = await ask(t, { [type]: { get: [hook, hook, hook] } })
    t.equal(response.json(), 'last')
    t.strictSame(
      streams.map(({ destroyed }) => destroyed),
      [true, true],
      type
    )
  }
})

t.test(
  'a hook that returns what `next()` gave it: failures pass, to hooks further out too that do not wait',
  async (t) => {
    const pass: Around = (_context, next) => next()
    const unawaited: Around = async (_context, next) => {
      next()
      await settled()
    }
    const late = () => settled().then(fail(new BadRequest('late')))
    for (const hooks of [
      [pass],
      [pass, pass],
      [pass, label('a', []), pass],
      [unawaited, pass, pass],
      [hasty, pass, pass]
    ]) {
      const { get } = await createGet(t, hooks, late)
      await t.rejects(get(), { message: 'late', code: 400 })
    }
  }
)

t.test('a hook that recovers around hooks that return what `next()` gave them', async (t) => {
  const pass: Around = (_context, next) => next()
  const recover: Around = (context, next) =>
    next().catch(() => {
      context.result = 'recovered' as never
    })
  for (const hooks of [[recover], [pass, recover, pass], [recover, pass, pass]]) {
    const { get } = await createGet(t, hooks, fail(new BadRequest('no')))
    t.equal(await get(), 'recovered')
  }
})
