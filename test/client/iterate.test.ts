import t from 'tap'
import { createClientOfEcho, createClientOfNumbers } from '../support/client-app.js'

async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const record of records) all.push(record)
  return all
}
const ids = (records: object[]) => records.map((record) => (record as { id: number }).id)

t.test('walks all pages, in order', async (t) => {
  const { app, requests } = await createClientOfNumbers(t, 5)
  const query = { $sort: { id: -1 } }
  t.same(ids(await collect(app.service('numbers').iterate({ query }))), [4, 3, 2, 1, 0])
  t.equal(requests(), 3, 'no page is asked for twice, and none beyond `total`')
  t.same(query, { $sort: { id: -1 } }, 'the query is left as it was')
  t.same(ids(await collect(app.service('numbers').iterate({ query: { $limit: 3, $skip: 1 } }))), [1, 2, 3, 4])
})

t.test('a plain array is one page', async (t) => {
  const { app, requests } = await createClientOfNumbers(t, 0)
  t.same(ids(await collect(app.service('plain').iterate())), [1, 2])
  t.equal(requests(), 1)
  t.same(await collect(app.service('numbers').iterate()), [], 'no records: an empty page')
})

t.test('it stops fetching when the loop is left', async (t) => {
  const { app, requests } = await createClientOfNumbers(t, 9)
  for await (const record of app.service('numbers').iterate({ query: { $limit: 2 } })) if (record.id === 2) break
  t.equal(requests(), 2)
})

t.test('it ends on an empty page, where the server tells no total, or -1', async (t) => {
  const { app: uncounted } = await createClientOfEcho(t, ({ url }) => ({
    total: -1,
    data: /skip=2/.test(url) ? [] : [1]
  }))
  t.same(await collect(uncounted.service('things').iterate()), [1, 1])
  const { app, asked } = await createClientOfEcho(t, ({ url }) => ({
    data: /skip=2/.test(url) ? [] : [{ id: url }, {}]
  }))
  t.equal((await collect(app.service('things').iterate({ headers: { 'x-page': '1' } }))).length, 2)
  t.same(
    asked.map(({ url, headers }) => [url, headers['x-page']]),
    [
      ['/things', '1'],
      ['/things?%24skip=2', '1']
    ]
  )
})

t.test('an answer without records, or none at all, has no pages', async (t) => {
  for (const answer of [null, {}, 'text']) {
    const { app } = await createClientOfEcho(t, () => answer)
    t.same(await collect(app.service('things').iterate()), [])
  }
})

t.test('its calls have hooks and end with their error', async (t) => {
  const { app } = await createClientOfNumbers(t, 3)
  const seen: unknown[] = []
  app.service('numbers').hooks({ before: { find: [({ params }) => void seen.push(params.query?.$skip)] } })
  await collect(app.service('numbers').iterate())
  t.same(seen, [undefined, 2])
  await t.rejects(collect(app.service('nowhere').iterate()), { code: 404 })
})
