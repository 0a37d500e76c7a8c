import errors from '@feathersjs/errors'
import t, { type Test } from 'tap'
import { clients, type RemoteApp } from '../support/interop-clients.js'
import { servers } from '../support/interop-servers.js'

const data = { text: 'ä "quoted"', n: 1, deep: { list: [1, null, true] } }

/** What a client of Feathers 5 must get. `nothing` is what it makes of an answer without a body. */
const suite: Readonly<Record<string, (t: Test, app: RemoteApp, nothing: unknown) => Promise<void>>> = {
  async 'find: query with nested operators and arrays'(t, app) {
    const query = {
      status: { $ne: 'x', $in: ['a', 'b'] },
      $or: [{ a: 1 }, { b: { $lt: 2 } }],
      $sort: { at: -1 },
      $select: ['text', 'at'],
      $limit: 10
    }
    t.match(await app.service('things').find({ query }), {
      query: {
        status: { $ne: 'x', $in: ['a', 'b'] },
        $or: [{ a: '1' }, { b: { $lt: '2' } }],
        $sort: { at: '-1' },
        $select: ['text', 'at'],
        $limit: '10'
      },
      provider: 'rest'
    })
    t.match(await app.service('things').find({ query: { a: 'x & y=z+ä%', b: '' } }), {
      query: { a: 'x & y=z+ä%', b: '' }
    })
    t.strictSame(((await app.service('things').find()) as { query: object }).query, {})
  },

  async 'get: ids are strings'(t, app) {
    t.strictSame(await app.service('things').get('1', { query: { a: { b: 'c' } } }), {
      id: '1',
      query: { a: { b: 'c' } }
    })
    t.strictSame(await app.service('things').get(7), { id: '7', query: {} })
  },

  async 'create: one record, and a batch'(t, app) {
    t.match(await app.service('things').create(data, { query: { a: '1' } }), { id: 1, data, query: { a: '1' } })
    t.strictSame(await app.service('things').create([{ a: 1 }, { a: 2 }]), [
      { a: 1, id: 1 },
      { a: 2, id: 2 }
    ])
    t.strictSame(await app.service('things').create([]), [])
  },

  async 'update, patch and remove of a record'(t, app) {
    const query = { a: '1' }
    t.strictSame(await app.service('things').update('1', data, { query }), { id: '1', data, query })
    t.strictSame(await app.service('things').patch('1', data, { query }), { id: '1', data, query })
    t.strictSame(await app.service('things').remove('1', { query }), { id: '1', query })
  },

  async 'update, patch and remove with `null` as id: the query selects the records'(t, app) {
    const query = { a: { $gt: '1' } }
    t.strictSame(await app.service('things').update(null, data, { query }), { id: null, data, query })
    t.strictSame(await app.service('things').patch(null, data, { query }), { id: null, data, query })
    t.strictSame(await app.service('things').remove(null, { query }), { id: null, query })
    t.strictSame(await app.service('things').remove(null), { id: null, query: {} })
  },

  async 'a custom method through `X-Service-Method`'(t, app) {
    t.strictSame(await app.service('things').archive({ a: 1 }, { query: { b: '2' } }), {
      archived: { a: 1 },
      query: { b: '2' }
    })
    t.strictSame(await app.service('things').archive([1, 2]), { archived: [1, 2], query: {} })
    t.match(await app.service('things').archive(), { query: {} }, 'without data')
  },

  async '`params.headers` and `params.route`'(t, app) {
    t.match(await app.service('things').find({ headers: { 'X-Test': 'yes' } }), { test: 'yes' })
    const notes = app.service('users/:userId/things')
    t.match(await notes.find({ route: { userId: '7' } }), { route: { userId: '7' } })
    t.match(await notes.create({ a: 1 }, { route: { userId: '7' } }), { data: { a: 1 }, route: { userId: '7' } })
  },

  async 'a `null` result is 204'(t, app, nothing) {
    t.strictSame(await app.service('things').get('null'), nothing)
    t.strictSame(await app.service('things').create({ nothing: true }), nothing)
    t.strictSame(await app.service('things').remove('null'), nothing)
  },

  async '`DELETE` with the content type of JSON and no body'(t, app) {
    const headers = { 'Content-Type': 'application/json' }
    t.strictSame(await app.service('things').remove('1', { headers }), { id: '1', query: {} })
    t.strictSame(await app.service('things').remove(null, { headers }), { id: null, query: {} })
  },

  async 'what a hook says of the answer'(t, app) {
    t.match(await app.service('things').get('accepted'), { id: 'accepted' })
    t.strictSame(await app.service('things').get('dispatch'), { safe: true })
  },

  async 'errors are those of Feathers: class, code, message, data, errors'(t, app) {
    const fails = async (id: string) =>
      (await app
        .service('things')
        .get(id)
        .catch((error) => error)) as errors.FeathersError
    const missing = await fails('missing')
    t.type(missing, errors.NotFound)
    t.match(missing, {
      name: 'NotFound',
      code: 404,
      className: 'not-found',
      message: 'No such thing',
      data: { id: 'missing' }
    })
    const invalid = await fails('invalid')
    t.type(invalid, errors.BadRequest)
    t.match(invalid, { code: 400, message: 'Invalid thing', data: { why: 'test' }, errors: { text: 'is missing' } })
    t.type(await fails('login'), errors.NotAuthenticated)
    t.type(await fails('taken'), errors.Conflict)
    t.strictSame((await fails('taken')).data, ['a', 'b'])
    t.type(await fails('down'), errors.Unavailable)
    t.match(await fails('crash'), { message: 'boom' })
  },

  async 'errors of the transport are those of Feathers'(t, app) {
    const fails = (call: Promise<unknown>) => call.catch((error) => error)
    t.type(await fails(app.service('reader').create({ a: 1 })), errors.MethodNotAllowed)
    t.type(await fails(app.service('reader').get('1')), errors.MethodNotAllowed)
    t.type(await fails(app.service('nothing').find()), errors.NotFound)
  }
}

for (const [server, serve] of Object.entries(servers)) {
  t.test(`clients of Feathers 5 on ${server}`, async (t) => {
    const base = await serve(t)
    for (const [client, { connect, nothing }] of Object.entries(clients)) {
      const app = connect(base)
      for (const [name, run] of Object.entries(suite)) {
        await t.test(`${client}: ${name}`, (t) => run(t as Test, app, nothing))
      }
    }
  })
}
