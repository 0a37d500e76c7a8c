import type { AroundHook, Hook, HookContext, HookOptions } from 'fastify-services'
import t from 'tap'
import { createApp } from '../support/core.js'

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
