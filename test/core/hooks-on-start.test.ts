import type { FastifyInstance } from 'fastify'
import type { HookOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { type Place, withTraits } from '../../lib/core/hooks.js'
import { createApp } from '../support/core.js'

/** A hook that says where it was asked. */
function asking(asked: Place[], fails = false) {
  const hook = async (_context: unknown, next?: () => Promise<void>) => next?.()
  const check = (place: Place) => {
    asked.push(place)
    if (fails) throw new Error(`It can't work at '${place.path}'`)
  }
  return withTraits(hook, { check })
}

const ready = (app: FastifyInstance) => async () => void (await app.ready())
const service = () => ({ get: async (id: string) => ({ id }), find: async () => [] })

async function createAsked(t: Test, hooks: (hook: ReturnType<typeof asking>) => object) {
  const asked: Place[] = []
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
  const asked: Place[] = []
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
