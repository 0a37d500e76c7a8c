import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import Fastify, { type InjectOptions } from 'fastify'
import services from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t, { type Test } from 'tap'

const ids = Array.from({ length: 30 }, (_, id) => id)
const list = (name: string, count: number) =>
  ids
    .slice(0, count)
    .map((id) => `${name}[]=${id}`)
    .join('&')

/** An application with 30 records, at a service of its own and at one of a mounted application of Feathers. */
async function create(t: Test, query = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { query, errorHandler: { html: false } })
  const records = () => memory({ startId: 0, multi: true, operators: ['$and'] })
  app.service('things', Object.assign(records(), { archive: async () => [] }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
  })
  const theirs = feathers().use('theirs', records())
  await app.register(mounted, { app: theirs as never })
  for (const path of ['things', 'theirs']) await app.service(path).create(ids.map((id) => ({ id, n: String(id) })))
  return async (request: InjectOptions & { url: string }) => {
    const response = await app.inject({ headers: { accept: 'application/json' }, ...request })
    const all = (await app.service(String(/\w+/.exec(request.url))).find()) as { isChanged?: boolean }[]
    const isKept = all.length === 30 && all.every(({ isChanged }) => isChanged === undefined)
    return { status: response.statusCode, body: response.json(), isKept }
  }
}

const refused = (operator: string) => ({
  status: 400,
  body: { name: 'BadRequest', message: new RegExp(`^'\\${operator}' must be a list\\. .*\`query\\.arrayLimit\``) },
  isKept: true
})
const payload = { isChanged: true }

for (const path of ['/things', '/theirs'])
  t.test(`${path}: a call without an id whose operator has no list changes nothing`, async (t) => {
    const send = await create(t)
    const rows: [query: string, operator: string][] = [
      [list('n[$nin]', 21), '$nin'],
      [list('n[$in]', 21), '$in'],
      ['n[$nin]=1', '$nin'],
      ['n[$nin]=', '$nin'],
      ['n[$nin][a]=1', '$nin'],
      ['$or=1', '$or'],
      ['$or[n]=1', '$or'],
      ['$and[n]=1', '$and'],
      [
        ids
          .slice(0, 21)
          .map((id) => `$or[${id}][n]=${id}`)
          .join('&'),
        '$or'
      ],
      [`$or[0][n]=1&$or[1]${list('[n][$nin]', 21).replaceAll('&[n]', '&$or[1][n]')}`, '$nin'],
      [list('a[b][c][$in]', 21), '$in'],
      [list('$nin', 21), '$nin']
    ]
    for (const [query, operator] of rows)
      for (const [method, body] of [
        ['PATCH', payload],
        ['DELETE', undefined]
      ] as const) {
        const url = `${path}?${query}`
        t.match(await send({ method, url, ...(body && { payload: body }) }), refused(operator), `${method} ${query}`)
      }
  })

t.test('`update`, custom methods and `find` are held to it too, calls with an id are not', async (t) => {
  const send = await create(t)
  const query = list('n[$nin]', 21)
  const headers = { accept: 'application/json', 'x-service-method': 'archive' }
  t.match(await send({ method: 'PUT', url: `/things?${query}`, payload }), refused('$nin'))
  t.match(await send({ method: 'POST', url: `/things?${query}`, payload, headers }), refused('$nin'))
  t.match(await send({ url: `/things?${query}` }), refused('$nin'), 'it would find all records')
  t.match(await send({ url: '/things/1?n[$in][]=1' }), { status: 200 })
  t.match(await send({ method: 'PATCH', url: `/things/5?${query}`, payload: { n: '5' } }), { status: 200 })
})

t.test('lists are passed on, and of a `find` single values', async (t) => {
  const send = await create(t, { arrayLimit: 25 })
  const countOf = async (query: string) => (await send({ url: `/things?${query}` })).body.length
  t.equal(await countOf(list('n[$nin]', 25)), 5)
  t.equal(await countOf('n[$in]=1'), 1)
  t.equal(await countOf('$or[0][n]=1&$or[1][n]=2'), 2)
  t.match(await send({ url: `/things?${list('n', 26)}` }), { status: 200 }, 'a field may have an object')
  const { body } = await send({ method: 'DELETE', url: `/things?${list('n[$nin]', 25)}` })
  t.equal(body.length, 5)
})
