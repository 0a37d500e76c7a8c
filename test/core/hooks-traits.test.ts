import type { FastifyInstance } from 'fastify'
import type { HookContext, HookOptions, NextFunction } from 'fastify-services'
import t, { type Test } from 'tap'
import { type HookPosition, withTraits } from '../../lib/core/hooks.js'
import { createApp } from '../support/core.js'
import { type Around, label } from '../support/core-services.js'

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
