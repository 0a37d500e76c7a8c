import { AuthenticationService } from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import mounted, { applicationOf } from 'fastify-services/feathers'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { createMounted, type Theirs } from '../support/mounted-app.js'
import { ApiKey, ask, key, mirror } from './asking.js'

/** An application whose authentication calls itself by a name. */
function createNamed(name: string, settings: object = { authStrategies: [name] }): Theirs {
  const theirs: Theirs = feathers()
  theirs.set('name', name)
  for (const key of ['login', 'second']) {
    theirs.set(key, { secret: 'x'.repeat(32), entity: null, ...settings })
    const service = new AuthenticationService(theirs, key)
    for (const strategy of [name, `${name} 2`, key]) service.register(strategy, new ApiKey())
    theirs.use(`${name}/${key}`, service)
  }
  theirs.use(`${name}/things`, mirror)
  return theirs
}

t.test('several applications: which of them reads the credentials, and keeps the settings', async (t) => {
  const seen: unknown[] = []
  const see = async ({ app, path }: { app: { get(name: string): unknown }; path: string }) => {
    seen.push(`${path}: ${app.get('name')}`)
  }
  const app = await createMounted(t, createNamed('first'), {
    after: async (app) => {
      await app.register(mounted, { app: createNamed('second') as never })
      await app.register(async (child) => {
        await child.register(mounted, { app: createNamed('third') as never })
        child.service('inner', mirror as object, { hooks: { before: { all: [see as never] } } })
      })
      app.service('outer', mirror as object, { hooks: { before: { all: [see as never] } } })
    }
  })
  const table: Record<string, unknown> = {}
  for (const path of ['first/things', 'second/things', 'third/things', 'inner', 'outer'])
    table[path] = await ask(app, ['GET', `/${path}`, undefined, key])
  const others: Record<string, [settings: object, options?: object]> = {
    none: [{}],
    'to parse': [{ parseStrategies: ['login'], authStrategies: ['to parse'] }],
    two: [{ authStrategies: ['two 2', 'two'] }],
    option: [{ parseStrategies: ['option'] }, { strategies: ['option 2'] }],
    'empty option': [{ parseStrategies: ['empty option'] }, { strategies: [] }],
    service: [{ parseStrategies: ['login', 'second'] }, { service: 'service/second' }]
  }
  for (const [name, [settings, authentication]] of Object.entries(others)) {
    const second = await createMounted(t, createNamed(name, settings), authentication ? { authentication } : {})
    table[name] = await ask(second, ['GET', `/${encodeURI(name)}/things`, undefined, key])
  }
  const { services: byPath } = applicationOf(app)
  isKept(t, { ...table, seen, services: Object.keys(byPath) }, 'test/mount/whole-several.txt')
})
