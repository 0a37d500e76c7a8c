import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { commonOperators } from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'

const people = [
  ['1', 'Ada', 'b', 36],
  ['2', 'Alan', 'b', 41],
  ['3', 'Grace', 'c', 85],
  ['4', 'Edsger', 'd', 72]
] as const

// The adapter compares values as they are: ages come as strings from a query, and stand as strings here.
async function create(t: Test, options: Record<string, unknown> = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const store = Object.fromEntries(people.map(([id, name, team, age]) => [id, { id, name, team, age: `${age}` }]))
  app.service('people', memory({ id: 'id', store, ...options }), {
    hooks: { before: { all: [commonOperators()] } }
  })
  const names = async (query: string) => {
    const { status, body } = await request(app, 'GET', `/people?${query}`)
    return status === 200 ? (body as { name: string }[]).map(({ name }) => name) : body
  }
  return { app, names }
}

t.test('For find, a query may carry the special keys', async (t) => {
  const { app, names } = await create(t)
  for (const [form, query, expected] of [
    ['`<field>=<value>`: equality filter', 'team=b', ['Ada', 'Alan']],
    ['two fields', 'team=b&name=Alan', ['Alan']],
    ['`<field>[$<operand>]=<value>`: `$le`', 'age[$le]=41', ['Ada', 'Alan']],
    ['`$lt`', 'age[$lt]=41', ['Ada']],
    ['`$ne`', 'team[$ne]=b', ['Grace', 'Edsger']],
    ['`$eq`', 'team[$eq]=c', ['Grace']],
    ['`$in`', 'name[$in][]=Ada&name[$in][]=Grace', ['Ada', 'Grace']],
    ['and others: `$gt`', 'age[$gt]=41', ['Grace', 'Edsger']],
    ['and others: `$or`', '$or[0][name]=Ada&$or[1][team]=d', ['Ada', 'Edsger']],
    ['`$limit=<integer>`: maximum number of records', '$limit=2', ['Ada', 'Alan']],
    ['`$skip=<integer>`: number of records to skip', '$skip=3', ['Edsger']],
    ['`$sort[<field>]=<direction>`: ordering', '$sort[age]=-1', ['Grace', 'Edsger', 'Alan', 'Ada']],
    ['`$sort[<field>]=1`', '$sort[name]=1&$limit=2', ['Ada', 'Alan']]
  ] as const)
    t.strictSame(await names(query), expected, form)
  const { body } = await request(app, 'GET', '/people?$select[]=name&$select[]=team&name=Ada')
  t.strictSame(body, [{ id: '1', name: 'Ada', team: 'b' }], '`$select[]=<field>`: fields to include')
})

t.test('a paginated result is an object with `data`', async (t) => {
  const { app } = await create(t, { paginate: { default: 2, max: 3 } })
  const { body } = await request(app, 'GET', '/people?$select[]=name&$skip=1')
  t.match(body, { total: 4, limit: 2, skip: 1, data: [{ name: 'Alan' }, { name: 'Grace' }] })
})

t.test('`update` replaces an entire record, `patch` is merged into the record', async (t) => {
  const { app } = await create(t)
  t.strictSame((await request(app, 'PATCH', '/people/1', { payload: { age: '37' } })).body, {
    id: '1',
    name: 'Ada',
    team: 'b',
    age: '37'
  })
  t.strictSame((await request(app, 'PUT', '/people/1', { payload: { name: 'Ada L.' } })).body, {
    id: '1',
    name: 'Ada L.'
  })
  t.strictSame((await request(app, 'GET', '/people/1')).body, { id: '1', name: 'Ada L.' })
  t.match(await request(app, 'GET', '/people/9'), {
    status: 404,
    body: { name: 'NotFound', code: 404, className: 'not-found' }
  })
})

t.test(
  'the `multi` option must be enabled to allow create with an array, and patch or remove without an id. Without it the adapter rejects the call',
  async (t) => {
    const { app, names } = await create(t)
    for (const [verb, payload] of [['POST', [{ name: 'x' }]], ['PATCH', { team: 'x' }], ['DELETE']] as const) {
      const { status, body } = await request(app, verb, '/people?team=b', payload && { payload: payload as object })
      t.match(
        { status, body },
        { status: 405, body: { name: 'MethodNotAllowed', code: 405, className: 'method-not-allowed' } },
        verb
      )
    }
    t.equal(((await names('')) as string[]).length, 4)
  }
)

t.test('with `multi` the query selects the records; multi-record changes only through patch', async (t) => {
  const { app, names } = await create(t, { multi: true })
  t.match(await request(app, 'PATCH', '/people?team=b', { payload: { team: 'x' } }), {
    status: 200,
    body: [
      { name: 'Ada', team: 'x' },
      { name: 'Alan', team: 'x' }
    ]
  })
  t.match(await request(app, 'DELETE', '/people?team=x'), { status: 200, body: [{ name: 'Ada' }, { name: 'Alan' }] })
  t.match(
    await request(app, 'POST', '/people', {
      payload: [
        { id: '5', name: 'Barbara' },
        { id: '6', name: 'Donald' }
      ]
    }),
    { status: 201, body: [{ id: '5' }, { id: '6' }] }
  )
  t.strictSame(await names(''), ['Grace', 'Edsger', 'Barbara', 'Donald'])
  t.match(
    await request(app, 'PUT', '/people', { payload: { name: 'x' } }),
    { status: 400, body: { name: 'BadRequest' } },
    'update(null) is no multi form'
  )
})
