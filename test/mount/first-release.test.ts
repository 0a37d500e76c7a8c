import { feathers } from '@feathersjs/feathers'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

const shared = Symbol.for('@feathersjs/service')

/** An application whose services are marked as by @feathersjs/commons 5.0.0: by a symbol that nobody else has. */
function createOld(symbol?: symbol): Theirs {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  const service = theirs.services.things
  const mark = symbol && { [symbol]: { value: service[shared] } }
  theirs.services.things = Object.create(service, { [shared]: { value: undefined, configurable: true }, ...mark })
  return theirs
}

t.test('services that are marked by a symbol of their own are mounted', async (t) => {
  const theirs = createOld(Symbol('@feathersjs/service'))
  const app = await createMounted(t, theirs)
  // This release of Feathers looks its own mark up for each call.
  Reflect.deleteProperty(theirs.services.things, shared)
  t.match(await request(app, 'GET', '/things/1'), { status: 200, body: { id: '1', provider: 'rest' } })
})

t.test('those that are not marked are refused, with the version to install', async (t) => {
  await t.rejects(createMounted(t, createOld()), { message: /install @feathersjs\/feathers 5\.0\.1 or later$/ })
})
