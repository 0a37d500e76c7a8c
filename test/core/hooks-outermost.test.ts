import type { HookContext, NextFunction } from 'fastify-services'
import t, { type Test } from 'tap'
import { withTraits } from '../../lib/core/hooks.js'
import { createApp } from '../support/core.js'
import { type Around, label } from '../support/core-services.js'

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
