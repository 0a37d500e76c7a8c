import type { AroundHook, Hook, HookContext, HookOptions, NextFunction } from 'fastify-services'
import t, { type Test } from 'tap'
import { withTraits } from '../../lib/core/hooks.js'
import { createApp } from '../support/core.js'
import { type Around, label } from '../support/core-services.js'

/** Hooks of all types and methods, that say when they were called. */
function labelled(level: string, calls: string[]): Required<HookOptions> {
  const around =
    (name: string): AroundHook<HookContext> =>
    async (context, next) => {
      calls.push(`${level} ${name} in ${context.type}`)
      await next()
      calls.push(`${level} ${name} out ${context.type}`)
    }
  const plain =
    (name: string): Hook<HookContext> =>
    (context) => {
      calls.push(`${level} ${name} ${context.type}`)
    }
  return {
    around: { all: [around('around all')], create: [around('around create')] },
    before: { all: [plain('before all')], create: [plain('before create'), plain('before create 2')] },
    after: { all: [plain('after all')], create: [plain('after create'), plain('after create 2')] },
    error: { all: [plain('error all')], create: [plain('error create'), plain('error create 2')] }
  }
}

t.test('hooks (around, before, after; for all services, one service, one method; `all` and per method)', async (t) => {
  const calls: string[] = []
  const { app } = await createApp(t, { hooks: labelled('app', calls) })
  const things = app.service(
    'things',
    {
      async create(data: object) {
        calls.push('create')
        return data
      }
    },
    { hooks: labelled('service', calls) }
  )
  await things.create({})
  t.same(calls, [
    'app around all in around',
    'app around create in around',
    'app before all before',
    'app before create before',
    'app before create 2 before',
    'service around all in around',
    'service around create in around',
    'service before all before',
    'service before create before',
    'service before create 2 before',
    'create',
    'service after all after',
    'service after create after',
    'service after create 2 after',
    'service around create out around',
    'service around all out around',
    'app after all after',
    'app after create after',
    'app after create 2 after',
    'app around create out around',
    'app around all out around'
  ])
})

t.test('error hooks: of the method, then of all, then those of all services', async (t) => {
  const calls: string[] = []
  const { app } = await createApp(t, { hooks: { error: labelled('app', calls).error } })
  const things = app.service(
    'things',
    {
      async create(_data: object) {
        throw new Error('no')
      }
    },
    { hooks: { error: labelled('service', calls).error } }
  )
  await t.rejects(things.create({}), { message: 'no' })
  t.same(calls, [
    'service error create error',
    'service error create 2 error',
    'service error all error',
    'app error create error',
    'app error create 2 error',
    'app error all error'
  ])
})

t.test('an error in a before hook skips the method and the after hooks', async (t) => {
  const calls: string[] = []
  const { app } = await createApp(t, { hooks: labelled('app', calls) })
  const things = app.service(
    'things',
    {
      async create(data: object) {
        calls.push('create')
        return data
      }
    },
    {
      hooks: {
        before: {
          create: () => {
            throw new Error('no')
          }
        }
      }
    }
  )
  await t.rejects(things.create({}), { message: 'no' })
  t.same(
    calls.filter((call) => /service|after|out|^create$/.test(call)),
    []
  )
  t.match(calls, ['app around all in around', 'app around create in around', 'app before all before'])
})

t.test('hooks of one method are not those of another, hooks of one service are not those of another', async (t) => {
  const calls: string[] = []
  const { app } = await createApp(t, { hooks: labelled('app', calls) })
  const service = {
    async find() {
      return []
    },
    async create(data: object) {
      return data
    }
  }
  const first = app.service('one', service, { hooks: labelled('one', calls) })
  const two = app.service('two', service)
  await first.find()
  t.same(
    calls.filter((call) => call.includes('create')),
    []
  )
  t.ok(calls.includes('one before all before'))
  calls.length = 0
  await two.create({})
  t.same(
    calls.filter((call) => call.startsWith('one')),
    []
  )
  t.ok(calls.includes('app before create before'))
})

t.test('two instances in one process do not know each other', async (t) => {
  const calls: string[] = []
  const first = await createApp(t, { hooks: labelled('first', calls) })
  const second = await createApp(t)
  const service = {
    async find() {
      return []
    }
  }
  first.app.service('things', service)
  await second.app.service('things', service).find()
  t.same(calls, [])
  await first.app.service('things').find({})
  t.ok(calls.length > 0)
})

const out = (hook: Around) => withTraits(hook, { isOutermost: true })

async function createThings(t: Test, app: Around[], service: Around[]) {
  const calls: string[] = []
  const { app: instance } = await createApp(t, { hooks: { around: { all: app as [] } } })
  const get = async (id: string) => {
    calls.push('get')
    return { id }
  }
  const things = instance.service('things', { get }, { hooks: { around: { get: service as [] } } })
  return { calls, things }
}

t.test('an outermost hook stands outside all others, those for all services too', async (t) => {
  const calls: string[] = []
  const { things } = await createThings(
    t,
    [label('app', calls)],
    [label('service', calls), out(label('outermost', calls)), label('service 2', calls)]
  )
  await things.get('1')
  t.strictSame(calls, [
    'outermost in',
    'app in',
    'service in',
    'service 2 in',
    'service 2 out',
    'service out',
    'app out',
    'outermost out'
  ])
})

t.test('outermost hooks among themselves, and the others, keep their order', async (t) => {
  const calls: string[] = []
  const { things } = await createThings(
    t,
    [label('1', calls), out(label('out 1', calls)), label('2', calls)],
    [out(label('out 2', calls)), label('3', calls), out(label('out 3', calls))]
  )
  things.hooks({ around: { all: [out(label('out 4', calls) as never), label('4', calls) as never] } })
  await things.get('1')
  t.strictSame(
    calls.filter((call) => call.endsWith('in')),
    // Within a service those for `all` methods stand around those for one.
    ['out 1 in', 'out 4 in', 'out 2 in', 'out 3 in', '1 in', '2 in', '4 in', '3 in']
  )
})

t.test('an outermost hook sees what hooks that end the call early, or take an error back, have set', async (t) => {
  const seen: unknown[] = []
  const look = out(async (context: HookContext, next: NextFunction) => {
    await next()
    seen.push(context.result)
  })
  const cache = await createThings(t, [async (context) => void Object.assign(context, { result: 'cached' })], [look])
  t.equal(await cache.things.get('1'), 'cached')
  t.strictSame(cache.calls, [], 'the method was not called')

  const failing = await createThings(t, [], [look])
  failing.things.hooks({
    before: {
      get: [
        () => {
          throw new Error('no')
        }
      ]
    },
    error: { get: [() => ({ result: 'taken back' })] }
  } as object)
  t.equal(await failing.things.get('1'), 'taken back')
  t.strictSame(seen, ['cached', 'taken back'])
})

t.test('an outermost hook has the last word on the result, and is before the event', async (t) => {
  const { app } = await createApp(t)
  const emitted: unknown[] = []
  const things = app.service('things', { create: async (data: object) => data })
  things.on('created', (record: unknown) => emitted.push(record))
  things.hooks({
    around: {
      create: [
        out(async (context, next) => {
          await next()
          context.result = { outermost: true }
        }) as never
      ]
    }
  })
  things.hooks({ after: { create: [() => ({ result: { later: true } })] } } as object)
  t.strictSame(await things.create({}), { outermost: true })
  t.strictSame(emitted, [{ outermost: true }])
})

t.test('an outermost hook of one method is not called for another', async (t) => {
  const { app } = await createApp(t)
  const calls: string[] = []
  const service = { get: async (_id: string) => 'got', find: async () => 'found' }
  const things = app.service('things', service, {
    hooks: { around: { get: [out(label('outermost', calls)) as never] } }
  })
  t.equal(await things.find(), 'found')
  t.strictSame(calls, [])
  t.equal(await things.get('1'), 'got')
  t.equal(calls.length, 2)
})
