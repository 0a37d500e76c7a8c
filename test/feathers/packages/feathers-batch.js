import { feathers } from '@feathersjs/feathers'
import rest from '@feathersjs/rest-client'
import batch from 'feathers-batch'
import client from 'feathers-batch/client/index.js'
import { serve } from './serve.js'

/** Many calls in one request. */
export async function run(t) {
  const { BatchService } = batch
  const start = (side) => {
    side.use('batch', new BatchService(side.app))
    return serve(side)
  }
  await t.check(
    'calls of several services',
    async (side) => {
      const { send } = await start(side)
      return send('POST', 'batch', {
        calls: [
          ['get', 'notes', 2],
          ['create', 'users', { name: 'Cem' }],
          ['find', 'notes', { userId: 2 }]
        ]
      })
    },
    [
      201,
      [
        { status: 'fulfilled', value: { id: 2, text: 'b', userId: 2, tags: [] } },
        { status: 'fulfilled', value: { name: 'Cem', id: 4 } },
        { status: 'fulfilled', value: [{ id: 2, text: 'b', userId: 2, tags: [] }] }
      ]
    ]
  )
  await t.check(
    'calls that fail',
    async (side) => {
      const { send } = await start(side)
      const [status, results] = await send('POST', 'batch', {
        calls: [
          ['get', 'notes', 9],
          ['shred', 'notes', 1],
          ['get', 'notes', 1]
        ]
      })
      return [status, results.map(({ status, reason, value }) => [status, reason?.code ?? value.id])]
    },
    [
      201,
      [
        ['rejected', 404],
        ['rejected', 400],
        ['fulfilled', 1]
      ]
    ]
  )
  await t.check(
    'a service that does not exist',
    async (side) => {
      const { send } = await start(side)
      const [status, [{ status: outcome }]] = await send('POST', 'batch', { calls: [['get', 'nothing', 9]] })
      return [status, outcome]
    },
    [201, 'rejected']
  )
  await t.check(
    'the params of the request are those of the calls',
    async (side) => {
      side.use('own', { find: async ({ provider, query }) => ({ provider, query }) })
      const { send } = await start(side)
      return (await send('POST', 'batch', { calls: [['find', 'own', { a: 1 }]] }))[1][0].value
    },
    { provider: 'rest', query: { a: 1 } }
  )
  await t.check(
    'a call inside of the application',
    async (side) => {
      await start(side)
      const [{ value }] = await side.service('batch').create({ calls: [['get', 'notes', 1]] })
      return value.text
    },
    'a'
  )
  await t.check(
    'batchClient',
    async (side) => {
      side.use('batch', new BatchService(side.app))
      const app = feathers()
      side.use('things', { get: async (id) => ({ id }) })
      app
        .configure(rest(await side.listen()).fetch(fetch))
        .configure(client.batchClient({ batchService: 'batch', timeout: 1 }))
      return Promise.all([app.service('things').get(1), app.service('things').get(2)])
    },
    [{ id: 1 }, { id: 2 }]
  )
}
