import { feathers, type HookContext } from '@feathersjs/feathers'
import mounted, { applicationOf } from 'fastify-services/feathers'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

const setting = async ({ app, result }: HookContext) => {
  Object.assign(result, { setting: app.get('name') })
}

t.test('hooks of our services find the settings and members of the mounted application', async (t) => {
  const theirs: Theirs = feathers()
  theirs.set('name', 'one')
  theirs.use('theirs', mirror)
  const mixed: string[] = []
  const seen: unknown[] = []
  const app = await createMounted(t, theirs, {
    settings: { size: 2 },
    plugin: { hooks: { before: { get: [(context) => void seen.push(context.app)] } } },
    after: (app) => {
      applicationOf(app).mixins.push((_service, path) => void mixed.push(path))
      app.service('ours', mirror as object, { hooks: { after: { get: [setting as never] } } })
      theirs.use('later', mirror)
    }
  })
  t.match((await request(app, 'GET', '/ours/1')).body, { setting: 'one' })
  t.match((await request(app, 'GET', '/theirs/1')).body, { id: '1' })
  for (const item of seen) t.equal(item, applicationOf(app), 'hooks of all services, around those of a mounted one too')
  t.equal(seen.length, 2)
  t.equal(theirs.get('size'), 2, 'settings that are given go to it')
  t.equal(applicationOf(app).get('name'), 'one')
  t.strictSame(mixed, ['ours'], 'its own services have the mixins of their application alone')
})

t.test('several applications on one instance: hooks of ours find the settings of the first', async (t) => {
  const [first, second]: Theirs[] = [feathers(), feathers()]
  for (const [name, theirs] of Object.entries({ one: first, two: second })) {
    theirs?.set('name', name)
    theirs?.use(name, mirror)
    theirs?.service(name).hooks({ after: { get: [setting] } })
  }
  const app = await createMounted(t, first, {
    after: async (app) => {
      await app.register(mounted, { app: second as Theirs })
      app.service('ours', mirror as object, { hooks: { after: { get: [setting as never] } } })
    }
  })
  for (const [path, name] of [
    ['one', 'one'],
    ['two', 'two'],
    ['ours', 'one']
  ] as const)
    t.match((await request(app, 'GET', `/${path}/1`)).body, { setting: name }, path)
  await t.rejects(
    createMounted(t, first, { after: async (app) => void (await app.register(mounted, { settings: {} })) }),
    /is registered here already: give it all options at once/
  )
})

t.test('hooks of ours around those of the second find its settings', async (t) => {
  const [first, second]: Theirs[] = [feathers(), feathers()]
  for (const [name, theirs] of Object.entries({ one: first, two: second })) {
    theirs?.set('name', name)
    theirs?.use(name, mirror)
  }
  const app = await createMounted(t, first, {
    plugin: { hooks: { after: { get: [setting as never] } } },
    after: async (app) => void (await app.register(mounted, { app: second as Theirs, settings: { name: 'second' } }))
  })
  for (const [path, name] of [
    ['one', 'one'],
    ['two', 'second']
  ] as const)
    t.match((await request(app, 'GET', `/${path}/1`)).body, { setting: name }, path)
  t.same(
    [first?.get('name'), second?.get('name')],
    ['one', 'second'],
    'settings that are given go to the one they came with'
  )
  t.equal(applicationOf(app).get('name'), 'one')
})

t.test('a setting named __proto__ is one, and not the prototype of the settings', async (t) => {
  const theirs: Theirs = feathers()
  const settings = JSON.parse('{ "__proto__": { "polluted": 1 }, "size": 2 }')
  const app = await createMounted(t, theirs, { settings })
  t.same([theirs.get('polluted'), theirs.get('size')], [undefined, 2])
  t.same(theirs.get('__proto__'), { polluted: 1 })
  applicationOf(app).set('__proto__', { polluted: 3 })
  applicationOf(app).set('__proto__', { polluted: 2 })
  t.same([theirs.get('polluted'), theirs.get('__proto__')], [undefined, { polluted: 2 }])
})
