import { Conflict, type Hook, type HookContext } from 'fastify-services'
import t from 'tap'
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
