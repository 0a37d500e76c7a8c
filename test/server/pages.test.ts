import Fastify from 'fastify'
import services, { corsOptions, resource, type ServiceOptions } from 'fastify-services'
import { memory } from 'fastify-services/memory'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { linkedPages, nextLink } from '../support/linked-pages.js'

const records = Array.from({ length: 5 }, (_, index) => ({ id: index + 1, name: index % 2 === 0 ? 'a' : 'b' }))
const paginate = { default: 2, max: 4 }

async function createApp(
  t: Test,
  options: ServiceOptions<object> = {},
  adapter: object = memory({ records, paginate })
) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.service('notes', adapter, options)
  return app
}

t.test('a page links to the next one', async (t) => {
  const app = await createApp(t)
  const link = async (url: string) => (await app.inject(url)).headers.link
  t.equal(await link('/notes'), '<?$skip=2>; rel="next"')
  t.equal(await link('/notes?$skip=2'), '<?$skip=4>; rel="next"')
  t.equal(await link('/notes?$skip=4'), undefined, 'the last page')
  t.equal(await link('/notes?$skip=9'), undefined, 'behind the last page')
  t.equal(await link('/notes?$limit=0'), undefined, 'only the total')
  t.equal(await link('/notes?%24skip=1&name[$ne]=%20>&$limit=2'), '<?name[$ne]=%20%3E&$limit=2&$skip=3>; rel="next"')
  t.equal((await app.inject({ method: 'HEAD', url: '/notes' })).headers.link, '<?$skip=2>; rel="next"')
  t.equal(await link('/notes/1'), undefined)
  const query = { method: 'QUERY' as 'GET', url: '/notes', payload: {} }
  t.match(await app.inject(query), { statusCode: 200, headers: { link: undefined } }, 'its query is no URL')
  t.equal((await (await createApp(t, {}, memory({ records }))).inject('/notes?$limit=2')).headers.link, undefined)
  const pages = await linkedPages(app, '/notes?$sort[name]=-1')
  t.same(
    pages.flat().map(({ id }) => id),
    [4, 2, 5, 3, 1]
  )
  t.ok(corsOptions.exposedHeaders.includes('Link'))
})

t.test('the link is beside other links, and not on an error answer', async (t) => {
  const hook = (context: { http: object }) => {
    context.http = { headers: { Link: '</a>; rel="preload"' } }
  }
  const formatter = () => {
    throw new Error('no')
  }
  const app = await createApp(t, { hooks: { after: { find: [hook as never] } } })
  t.same((await app.inject('/notes')).headers.link, ['</a>; rel="preload"', '<?$skip=2>; rel="next"'])
  t.match(await (await createApp(t, { formatter })).inject('/notes'), { statusCode: 500, headers: { link: undefined } })
})

t.test('an empty `$after` begins a walk by cursors', async (t) => {
  const app = await createApp(t)
  const first = await app.inject('/notes?$after=&$sort[name]=-1')
  t.match(first.json(), { total: 5, skip: 0, data: [{ id: 4 }, { id: 2 }] })
  await app.service('notes').remove(2)
  await app.service('notes').create({ id: 9, name: 'c' })
  const second = await app.inject(`/notes${nextLink(first)}`)
  t.match(second.json(), { total: 3, skip: 0, data: [{ id: 5 }, { id: 3 }] }, 'the total counts from the cursor on')
  const third = await app.inject(`/notes${nextLink(second)}`)
  t.match(third.json(), { data: [{ id: 1 }] })
  t.equal(nextLink(third), undefined)
})

t.test('hostile and misplaced cursors get 400', async (t) => {
  const app = await createApp(t)
  app.service('others', memory({ records, paginate }))
  const cursor = String(nextLink(await app.inject('/notes?$after=')))
  t.match(cursor, /^\?\$after=[\w-]+$/)
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const order = [['id', 1]]
  const nested = { $or: [{ $or: [{ $or: [{ $or: [{ id: 1 }] }] }] }] }
  // biome-ignore format: a table
  const rows: [url: string, message: RegExp][] = [
    [`/notes${cursor}&$sort[name]=1`, /another \$sort/],
    [`/notes${cursor}&$sort[id]=-1`, /another \$sort/],
    [`/others${cursor}`, /no cursor of 'others': take it from the header Link/],
    ['/notes?$after=x', /no cursor/],
    ['/notes?$after[$gt]=1', /no cursor/],
    ['/notes?$after=&$after=', /no cursor/],
    [`/notes?$after=${encode(['notes', order, [1], []])}`, /no cursor/],
    [`/notes?$after=${encode(['notes', order, {}])}`, /no cursor/],
    [`/notes?$after=${encode(['notes', order, {}, ['x']])}`, /no cursor/],
    [`/notes?$after=${encode(['notes', 1, {}, []])}`, /another \$sort/],
    [`/notes?$after=${encode(['notes', order, { $where: 1 }, []])}`, /no operator '\$where'/],
    [`/notes?$after=${encode(['notes', order, { id: { $gt: { a: 1 } } }, []])}`, /can't be compared/],
    [`/notes?$after=${encode(['notes', order, { constructor: 1 }, []])}`, /a name that every object has/],
    [`/notes?$after=${encode(['notes', order, nested, []])}`, /levels deep/],
    [`/notes?$after=${encode(['notes', order, { id: { $nin: Array(1001).fill(1) } }, []])}`, /more than 1000/],
    ['/notes?$after=&$skip=1', /leave \$skip out/],
    ['/notes?$after=&$sort=name', /\$sort must be an object/],
    [`/notes${cursor}&$and=x`, /\$and must be a list/],
    [`/notes?$after=&${Array.from({ length: 21 }, (_, i) => `$sort[f${i}]=1`).join('&')}`, /at most 20/],
    ['/notes?$after=&$sort[name]=1&$select[]=id', /Put it into \$select/],
    ['/notes?$after=&$sort[other]=1', /'other': the answer lacks it/]
  ]
  for (const [url, message] of rows) {
    const response = await app.inject(url)
    t.match(response.json(), { name: 'BadRequest', code: 400, message }, url)
    t.equal(response.headers.link, undefined)
  }
  t.match((await app.inject('/notes')).statusCode, 200)
  const texts = memory({ records: [1, 2, 3].map((id) => ({ id, text: 'x'.repeat(4000) })), paginate })
  const long = await (await createApp(t, {}, texts)).inject('/notes?$after=&$sort[text]=1')
  t.match(long.json(), { code: 400, message: /\$sort are too long/ })
})

t.test('a hook that makes another list of it gets 400, not fewer records', async (t) => {
  type Context = { params: { query: object }; result: { data: { name: string }[] } }
  const hooks: [text: string, hooks: object, message: RegExp][] = [
    [
      'an answer of its own',
      { before: { find: [(c: Context) => void Object.assign(c, { result: { data: [] } })] } },
      /no hook that/
    ],
    ['fewer records', { after: { find: [(c: Context) => void c.result.data.pop()] } }, /no hook that changes which/],
    [
      'other values',
      { after: { find: [(c: Context) => void Object.assign(c.result.data[1] ?? {}, { name: 'z' })] } },
      /'name': the answer/
    ]
  ]
  for (const [text, map, message] of hooks) {
    const app = await createApp(t, { hooks: map })
    t.match((await app.inject('/notes?$after=&$sort[name]=1')).json(), { code: 400, message }, text)
  }
  const sorted: object = {
    before: { find: [(c: Context) => void Object.assign(c.params.query, { $sort: { name: -1 } })] }
  }
  const pages = await linkedPages(await createApp(t, { hooks: sorted }), '/notes?$after=')
  t.same(
    pages.flat().map(({ id }) => id),
    [4, 2, 5, 3, 1],
    'a hook may sort'
  )
  t.match((await (await createApp(t, {}, memory({ records }))).inject('/notes?$after=&$limit=1')).json(), {
    code: 400,
    message: /needs pages/
  })
})

t.test('only adapters read `$after`', async (t) => {
  const app = await createApp(t, {}, { find: async ({ query }: { query: object }) => query })
  t.same((await app.inject('/notes?$after=x')).json(), { $after: 'x' })
})

t.test('a cursor can do nothing that a query can not', async (t) => {
  const note = z.object({
    id: z.int(),
    name: z.string(),
    rank: z.int(),
    tag: z.string().optional(),
    due: z.iso.datetime().nullable()
  })
  const rows = [1, 2, 3].map((id) => ({
    id,
    name: 'x',
    rank: -id,
    due: id === 1 ? null : `2026-01-0${id}T00:00:00.000Z`
  }))
  const schema = resource(note, { filter: ['id', 'name', 'tag', 'due'] })
  const app = await createApp(t, { schema }, memory({ records: rows, paginate: { default: 1, max: 4 } }))
  const message = async (url: string) => (await app.inject(url)).json().message
  t.match(await message('/notes?$after=&$sort[rank]=1'), /can not walk by 'rank': queries can not filter by it/)
  t.match(await message('/notes?$after=&$sort[tag]=1'), /'tag': a record may lack it. Its schema must allow null/)
  const forged = Buffer.from(JSON.stringify(['notes', [['rank', 1]], { $or: [{ rank: { $gt: -2 } }] }, []])).toString(
    'base64url'
  )
  t.match(await message(`/notes?$after=${forged}`), /\[rank\] is not known/)
  for (const sort of ['name', 'due'])
    for (const [direction, ids] of [
      [1, [1, 2, 3]],
      [-1, [3, 2, 1]]
    ] as const) {
      const pages = await linkedPages(app, `/notes?$after=&$sort[${sort}]=${direction}&name=x&$and[0][name]=x`)
      t.same(
        pages.flat().map(({ id }) => id),
        ids,
        `${sort} ${direction}`
      )
    }
})

t.test('the dates of a cursor change no condition of a hook', async (t) => {
  const date = '2026-01-01T00:00:00.000Z'
  let seen: unknown
  const hide = ({ params }: { params: { query: object } }) => void Object.assign(params.query, { name: { $ne: date } })
  const hooks: object = { before: { find: [hide] } }
  const service: object = Object.assign(memory({ records, paginate }), {
    async find({ query }: { query: object }) {
      seen = query
      return { total: 0, limit: 2, skip: 0, data: [] }
    }
  })
  const app = await createApp(t, { hooks }, service)
  const forged = JSON.stringify(['notes', [['id', 1]], { $or: [{ id: { $gt: 0 }, name: { $ne: date } }] }, [date]])
  await app.inject(`/notes?$after=${Buffer.from(forged).toString('base64url')}`)
  const $or = [{ id: { $gt: 0 }, name: { $ne: new Date(date) } }]
  t.same(seen, { name: { $ne: date }, $and: [{ $or }], $sort: { id: 1 } })
})
