import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'
import { oddErrors, replies, results, thrown } from './server/acts.js'
import { placePath } from './server/places.js'
import { sources, textOf } from './server/sources.js'
import { targetOf, ways } from './server/ways.js'

const json = { 'Content-Type': 'application/json' }
const mounted = { mounted: true } as const

// Of the places, those that a Feathers application has.
const places = ['a method', 'a method that is not async', 'a before hook', 'an after hook', 'an around hook']
const target = (place: string, table: string, id: string) => `/${placePath(place, table)}/${encodeURIComponent(id)}`
const rowsOf = (table: string, acts: object, expected: (id: string) => Row['expected'], where = places) =>
  where.flatMap((place) =>
    Object.keys(acts).map(
      (id): Row => ({
        row: `${table}: ${id} in ${place}`,
        request: { target: target(place, table, id) },
        expected: expected(id)
      })
    )
  )

const statusOf = (id: string) => (/^code/.test(id) ? 500 : /^className/.test(id) ? [409, 500] : 409)
const internals = /a BigInt|circular|Cannot |owned|node_modules|\.js:\d|\bat /i

t.test('what a mounted application throws, says and gives', (t) =>
  runRows(
    t as Test,
    [
      ...rowsOf('thrown', thrown, () => ({ status: 500, absent: /owned/ })),
      ...rowsOf('odd-errors', oddErrors, (id) => ({ status: statusOf(id), name: /^/ }), ['a method']),
      ...rowsOf('replies', replies, () => ({ status: 500, absent: /owned/ }), places.slice(2)),
      ...rowsOf('results', results, () => ({ status: 500, absent: internals }), ['a method'])
    ],
    { ...mounted, room: 'places' }
  )
)

const names = ['constructor', 'toString', 'setup', 'teardown', 'emit', 'hooks', 'publish', '_find', '__proto__', 'find']
const others = ['own', 'on', 'all', 'archive, own', 'then', 'createContext', 'x'.repeat(8000)]
const post = (target: string, body: string, headers: object = json) => ({
  verb: 'POST',
  target,
  body,
  headers: { ...headers }
})
const of = (row: string, request: Row['request'], expected: Row['expected']): Row => ({ row, request, expected })

const requests: Row[] = [
  ...[...names, ...others].flatMap((name) =>
    ['{}', '', '{'].map((body) =>
      of(
        `the method ${name.slice(0, 20)} with '${body}'`,
        post('/things', body, { ...json, 'X-Service-Method': name }),
        {
          status: 405,
          calls: []
        }
      )
    )
  ),
  ...['PUT', 'PATCH', 'DELETE'].map((verb) =>
    of(
      `${verb} of an empty id`,
      { verb, target: '/things/', body: '{}', headers: json },
      {
        status: 400,
        calls: []
      }
    )
  ),
  ...['{', '{"a":NaN}', '{"__proto__":{}}', 'null', '1', '"s"', ''].map((body) =>
    of(`the body '${body}'`, post('/things', body), { status: 400, calls: [] })
  ),
  of('a list with null', post('/things', '[{"a":1},null]'), { status: 400, calls: [] }),
  of('a body of another type', post('/things', 'x', { 'Content-Type': 'text/plain' }), { status: 415, calls: [] }),
  ...['a[b][c][d][e][f][g]=1', Array.from({ length: 1001 }, (_, i) => `p${i}`).join('&')].map((query) =>
    of(`the query ${query.slice(0, 20)}`, { target: `/things?${query}` }, { status: 400, calls: [] })
  ),
  ...['__proto__[polluted]=1', 'a[__proto__][polluted]=1', 'constructor[prototype][polluted]=1'].map((query) =>
    of(
      `the query ${query}`,
      { target: `/things?${query}` },
      { status: 200, body: { method: 'find', args: [], query: {}, route: {} } }
    )
  ),
  ...['__proto__', 'constructor', 'null', 'a%2Fb', '%00', '%2e%2e', '💥'].map((id) =>
    of(
      `the id ${id}`,
      { target: `/things/${encodeURI(decodeURIComponent(id)).replace('a/b', 'a%2Fb')}` },
      { status: 200 }
    )
  ),
  ...['/__proto__', '/constructor', '/toString'].map((path) =>
    of(`the path ${path}`, { target: path }, { status: 404, calls: [] })
  ),
  of(
    'placeholders named query and provider',
    { target: '/rooms/x/y/seats' },
    { status: 200, body: { method: 'find', args: [], query: {}, route: { query: 'x', provider: 'y' } } }
  )
]

t.test('what is asked of a mounted application', (t) => runRows(t as Test, requests, mounted))

// What becomes of a result within their hooks is theirs: a stream that one of them replaces is lost on Koa, too.
const waysHere = Object.entries(ways).filter(
  ([name, { options = {} }]) =>
    Object.keys(options).every((key) => key === 'hooks') &&
    !/replaces it|takes the error back|next\(\) again/.test(name)
)
const streams = waysHere.flatMap(([way, { status, verb, leaves }]) => {
  // One in the style of old flows before anybody listens: it is over when hooks have taken their time.
  const sourcesHere = Object.keys(sources).filter(
    (source) => !(source.endsWith('style of old') && way.endsWith('its time'))
  )
  return sourcesHere.map((source): Row => {
    const isSent = /^(it is sent|the method tells)/.test(way)
    return of(
      `${source} as a result, and ${way}`,
      { target: targetOf(way, source, 'ends'), ...(verb && { verb }), ...(leaves && { leaves: 'told' }) },
      { status, ...(isSent && { body: textOf(source) }) }
    )
  })
})

t.test('streams of a mounted application', (t) => runRows(t as Test, streams, { ...mounted, room: 'streams' }))
