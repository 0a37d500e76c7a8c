import { resource } from 'fastify-services'
import t from 'tap'
import { isKept } from '../../support/kept.js'
import { createAsk, grouped, type Told } from './whole.js'
import * as rows from './whole-query-rows.js'

const entries = Object.entries(rows.resources).map(
  ([name, [schema, options]]) => [name, resource(schema, options)] as const
)
const schemas = Object.fromEntries(entries)

t.test('queries as texts: what reaches the service, or what is wrong', async (t) => {
  const ask = await createAsk(t, schemas, { query: { depth: 30 } })
  const table: Record<string, unknown> = {}
  for (const [name, queries] of Object.entries({ all: rows.queries, ...rows.others })) {
    const answers: Record<string, unknown> = {}
    for (const query of queries) {
      const [status, ...rest] = await ask({ url: `/${name}?${query}` })
      answers[query] = status === 204 ? rest[0] : [status, ...rest]
    }
    table[name] = grouped(answers, Array.isArray)
  }
  const methods: Record<string, Told[]> = {}
  for (const query of rows.ofMethods) {
    methods[query] = []
    for (const [method, id] of [
      ['GET', ''],
      ['GET', '/1'],
      ['POST', ''],
      ['PUT', '/1'],
      ['PATCH', '/1'],
      ['DELETE', '/1']
    ] as const) {
      const payload = method.startsWith('P') ? { payload: { a: 'x' } } : {}
      methods[query].push(await ask({ method, url: `/more${id}?${query}`, ...payload }))
    }
  }
  const many = [
    await ask({ method: 'PATCH', url: '/more?b=1', payload: { a: 'x' } }),
    await ask({ method: 'DELETE', url: '/more?b=x' })
  ]
  isKept(t, { ...table, methods, many }, 'test/server/resource/whole-queries.txt')
})

t.test('queries of a parser of the host, with values of any type', async (t) => {
  const ask = await createAsk(t, schemas, { query: (text) => JSON.parse(decodeURIComponent(text)) })
  const table: unknown[] = []
  for (const query of rows.typed) {
    const text = JSON.stringify(query)
    table.push([text, ...(await ask({ url: `/all?${encodeURIComponent(text)}` }))])
  }
  const more: object[] = [
    null,
    1,
    '1',
    {},
    [],
    { lat: null },
    { lat: '1' },
    { lat: 1, tags: { 0: '1', 1: 2 } },
    { lat: 1, tags: [null] }
  ].map((near) => ({ near }))
  for (const query of [
    ...more,
    { list: {} },
    { list: { 0: 1 } },
    { list: null },
    { tree: { tree: { n: '1' } } },
    { tree: { tree: null } }
  ]) {
    const text = JSON.stringify(query)
    table.push([text, ...(await ask({ url: `/more?${encodeURIComponent(text)}` }))])
  }
  isKept(t, table, 'test/server/resource/whole-queries-typed.txt')
})
