import { feathers, type HookContext } from '@feathersjs/feathers'
import type { NextFunction, HookContext as OurContext } from 'fastify-services'
import { Forbidden } from 'fastify-services'
import { applicationOf } from 'fastify-services/feathers'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

t.test('hooks for all services that are added later run around those mounted before, too', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('before', mirror)
  const app = await createMounted(t, theirs, {
    after(app) {
      app.service('ours', mirror as object)
      applicationOf(app).hooks({
        before: {
          find: [
            () => {
              throw new Forbidden('closed')
            }
          ]
        }
      })
      theirs.use('later', mirror)
    }
  })
  for (const path of ['ours', 'before', 'later']) {
    t.match(await request(app, 'GET', `/${path}`), { status: 403, body: { message: 'closed' } }, path)
    t.match(await request(app, 'GET', `/${path}/1`), { status: 200 }, path)
  }
})

t.test('the dispatch that a hook of the plugin has set is what leaves', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  theirs.service('things').hooks({
    after: {
      get: [
        async (context: HookContext) => {
          context.dispatch = context.id === 'all' ? undefined : { ...context.dispatch, theirs: 1 }
        }
      ]
    }
  })
  const ofService = async (context: OurContext, next: NextFunction) => {
    context.dispatch = { own: 1 }
    await next()
  }
  const app = await createMounted(t, theirs, { plugin: { hooks: { around: { all: [ofService] } } } })
  t.strictSame((await request(app, 'GET', '/things')).body, { own: 1 })
  t.strictSame((await request(app, 'GET', '/things/1')).body, { own: 1, theirs: 1 }, 'their hooks see it')
  t.match((await request(app, 'GET', '/things/all')).body, { id: 'all' }, 'and may take it back')
})
