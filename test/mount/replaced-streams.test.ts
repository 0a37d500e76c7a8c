import { PassThrough } from 'node:stream'
import { feathers, type HookContext } from '@feathersjs/feathers'
import t from 'tap'
import { createMounted, type Theirs } from '../support/mounted-app.js'

const fail = () => {
  throw new Error('no')
}
const replace = (context: HookContext) => {
  context.result = 'another'
}

t.test('a stream that a hook of theirs replaces is closed', async (t) => {
  const replacing: Record<string, object> = {
    'a result': { after: { get: [replace] } },
    'a result, by an around hook': {
      around: {
        get: [
          async (context: HookContext, next: () => Promise<void>) => {
            await next()
            replace(context)
          }
        ]
      }
    },
    'a result, after an error': { after: { get: [fail] }, error: { get: [replace] } },
    'a dispatch': {
      after: {
        get: [
          (context: HookContext) => {
            context.dispatch = context.result
            context.result = 'another'
          },
          (context: HookContext) => {
            context.dispatch = 'another'
          }
        ]
      }
    }
  }
  for (const [name, hooks] of Object.entries(replacing)) {
    const sources: PassThrough[] = []
    const theirs: Theirs = feathers()
    const get = async () => {
      const source = new PassThrough()
      sources.push(source)
      return source
    }
    theirs.use('files', { get })
    theirs.service('files').hooks(hooks as never)
    const app = await createMounted(t, theirs)
    t.equal((await app.inject('/files/1')).body, '"another"', name)
    t.equal(sources[0]?.destroyed, true, name)
    await theirs.service('files').get('1')
    t.equal(sources[1]?.destroyed, false, 'inside it belongs to whoever calls')
  }
})

t.test('their hooks see the context that they know', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', { get: async (id: unknown) => ({ id }) })
  const seen: unknown[] = []
  theirs.service('things').hooks({
    after: {
      get: [
        (context: HookContext) => {
          seen.push({ ...context }.result, context.toJSON().result)
        }
      ]
    }
  })
  const app = await createMounted(t, theirs)
  await app.inject('/things/1')
  await theirs.service('things').get('1')
  for (const item of seen) t.same(item, { id: '1' })
  t.equal(seen.length, 4)
})

t.test('after many calls of several methods, results are still their own', async (t) => {
  const theirs: Theirs = feathers()
  const answer = async (id: unknown) => ({ id })
  for (const path of ['a', 'b', 'c'])
    theirs.use(path, { get: answer, remove: answer, find: async () => [{ id: path }] })
  const app = await createMounted(t, theirs)
  for (let count = 0; count < 20; count++)
    for (const path of ['a', 'b', 'c']) {
      t.same((await app.inject(`/${path}/${count}`)).json(), { id: `${count}` })
      t.same((await app.inject({ method: 'DELETE', url: `/${path}/${count}` })).json(), { id: `${count}` })
      t.same((await app.inject(`/${path}`)).json(), [{ id: path }])
    }
})
