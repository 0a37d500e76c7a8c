import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type Params, type Query, resource, type SearchOptions, search } from 'fastify-services'
import t, { type Test } from 'tap'
import * as z from 'zod'

/** Returns the query that a service gets for one of a client. */
async function queryOf(t: Test, query: Query | undefined, options?: SearchOptions): Promise<unknown> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, {
    hooks: { around: { all: [search({ q: ['title', 'text'], by: ['name'] }, options)] } }
  })
  const echo = app.service('echo', { find: async ({ query }: Params) => query })
  return echo.find(query === undefined ? {} : { query })
}

const words = (word: string) => ({ $or: [{ title: { $ilike: word } }, { text: { $ilike: word } }] })

t.test('each word must be in one of the fields', async (t) => {
  t.strictSame(await queryOf(t, { q: ' big\tcats ', title: 'a' }), {
    title: 'a',
    $and: [words('%big%'), words('%cats%')]
  })
  t.strictSame(await queryOf(t, { q: 'big', by: 'Ada' }), {
    $and: [words('%big%'), { $or: [{ name: { $ilike: '%Ada%' } }] }]
  })
  t.strictSame(await queryOf(t, { by: 'a' }, { operator: '$like' }), { $and: [{ $or: [{ name: { $like: '%a%' } }] }] })
})

t.test('characters with a meaning in patterns are texts', async (t) => {
  t.strictSame(await queryOf(t, { q: '100%' }), { $and: [words('%100\\%%')] })
  t.strictSame(await queryOf(t, { q: '_\\' }), { $and: [words('%\\_\\\\%')] })
})

t.test('other conditions still hold', async (t) => {
  const query = { $and: [{ id: 1 }], $or: [{ id: 2 }], q: 'a' }
  t.strictSame(await queryOf(t, query), { $or: [{ id: 2 }], $and: [{ id: 1 }, words('%a%')] })
  t.same(query.q, 'a', 'the query of the caller is not changed')
})

t.test('no words are no condition', async (t) => {
  for (const query of [undefined, {}, { q: '' }, { q: ' ' }, { q: undefined }])
    t.strictSame(await queryOf(t, query), {})
})

t.test('a parameter that is no text is 400', async (t) => {
  for (const q of [['a'], { $ne: 'a' }, 7, null])
    await t.rejects(queryOf(t, { q }), { code: 400, message: 'q must be a text' })
})

t.test('a search has at most 50 words', async (t) => {
  const q = (count: number) => ` ${'cat '.repeat(count)}`
  t.equal(((await queryOf(t, { q: q(50) })) as { $and: unknown[] }).$and.length, 50)
  for (const count of [51, 500_000])
    await t.rejects(queryOf(t, { q: q(count) }), { code: 400, message: 'q can have at most 50 words' })
})

t.test('a schema stops the start if it has no such field, hides it, or has one named like the parameter', async (t) => {
  const post = z.object({ id: z.int(), title: z.string(), text: z.string(), secret: z.string() })
  const query = z.object({ q: z.string().optional(), text: z.string().optional() })
  const schema = resource(post, { writeOnly: ['secret'], query })
  const none = 'which is no field of the records that clients get.'
  const starts: [Record<string, string[]>, string?][] = [
    [{ q: ['title', 'text'] }],
    [{ q: ['title', 'users.name'] }],
    [
      { qq: ['title'] },
      "search at 'posts': no query there has the parameter 'qq', declare it in the option `query` of resource(). Did you mean 'q'?"
    ],
    [{ q: ['title', 'titel'] }, `search at 'posts': 'q' searches 'titel', ${none} Did you mean 'title'?`],
    [{ q: ['secret'] }, `search at 'posts': 'q' searches 'secret', ${none}`],
    [
      { text: ['title'] },
      "search at 'posts': the parameter 'text' has the name of a field. Give it another one, so that it replaces no condition on the field"
    ]
  ]
  for (const [fields, message] of starts) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    app.service('posts', memory(), { schema, hooks: { around: { all: [search(fields)] } } })
    const start = async () => app.ready()
    if (message === undefined) await t.resolves(start(), JSON.stringify(fields))
    else await t.rejects(start(), { message })
  }
})

t.test('it needs fields, and is an around hook', async (t) => {
  for (const parameters of [undefined, {}, 'q', { q: 'title' }, { q: [] }, { q: [7] }])
    t.throws(() => search(parameters as never), { name: 'TypeError', message: /^search needs the fields/ })
  t.throws(() => search({ q: ['title'], owner: ['owner', 'text'] }), {
    name: 'TypeError',
    message: /^search: the parameter 'owner' has the name of a field/
  })
  t.throws(() => search({ q: ['title'] }, { opertor: '$like' } as never), { message: /Did you mean 'operator'/ })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', memory(), { hooks: { before: { find: [search({ q: ['title'] })] } } as never })
  await t.rejects(async () => app.ready(), { message: "search at 'things' is a hook for 'around', not for 'before'" })
})
