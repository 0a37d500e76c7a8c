import { feathers } from '@feathersjs/feathers'
import t from 'tap'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

const shared = Symbol.for('@feathersjs/service')

/** An application whose services are marked as by @feathersjs/commons 5.0.0: by a symbol of its own. */
function createOld(): Theirs {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  const service = theirs.services.things
  const mark = { value: service[shared] }
  theirs.services.things = Object.create(service, {
    [shared]: { value: undefined },
    [Symbol('@feathersjs/service')]: mark
  })
  return theirs
}

t.test('services of the first release of Feathers 5 are refused, with the version to install', async (t) => {
  await t.rejects(createMounted(t, createOld()), { message: /install @feathersjs\/feathers 5\.0\.1 or later$/ })
})
