import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'

const json = { 'Content-Type': 'application/json' }
const keys = [
  ...['pipe', 'getReader', 'then', 'toJSON', 'constructor', 'length', 'on', 'destroy', 'cancel', 'body', 'status'],
  ...['headers', 'next', 'read', 'locked', 'data', 'type', 'valueOf', 'toString', 'hasOwnProperty', 'id', 'url']
]
const values = ['half inch', '', 7, 0, null, true, {}, [], { pipe: 1, getReader: {} }, ['pipe']]

/** A record with such a field is stored and answered as data. */
const records = keys.flatMap((key) =>
  values.flatMap((value): Row[] => {
    const record = { [key]: value, other: 1 }
    const row = JSON.stringify(record)
    const target = `/records/${encodeURIComponent(row)}`
    const body = row
    return [
      {
        row: `create ${row}`,
        request: { verb: 'POST', target: '/records', headers: json, body },
        expected: { status: 201, body: record }
      },
      {
        row: `update ${row}`,
        request: { verb: 'PUT', target, headers: json, body },
        expected: { status: 200, body: record }
      },
      { row: `get ${row}`, request: { target }, expected: { status: 200, body: record } }
    ]
  })
)
// All of them, in one list.
const row: Row = {
  row: 'find all of them',
  request: { target: '/records' },
  expected: { status: 200, body: keys.flatMap((key) => values.map((value) => ({ [key]: value, other: 1 }))) }
}
const options = { server: { routerOptions: { maxParamLength: 1000 } } }
t.test('records with the fields of streams, promises and answers', (t) =>
  runRows(t as Test, [...records, row], options)
)

const no = ['null', '1', '0', '"s"', '""', 'true', 'false', '[]', '[{}]', '[[]]', '[null]']
const batches = no.flatMap((record) => [
  `[${record}]`,
  `[{"a":1},${record}]`,
  `[${record},{"a":1}]`,
  `[${record},${record}]`,
  `[${Array(500).fill('{"a":1}').join()},${record}]`
])
const create = (path: string, body: string, headers = json): Row => ({
  row: `create ${body.length > 60 ? `500 records, then ${body.slice(-8)}` : body} at ${path}`,
  request: { verb: 'POST', target: path, headers, body },
  expected: { status: 400, message: path === '/things' ? /must be an object/ : /^./, calls: [] }
})
const good: Row[] = ['[]', '[{}]', '[{},{"a":1}]'].map((body) => ({
  row: `create ${body}`,
  request: { verb: 'POST', target: '/things', headers: json, body },
  expected: { status: 201, calls: [{ method: 'create' }] }
}))
const singles = ['/checked', '/things'].flatMap((path) =>
  ['PUT', 'PATCH'].flatMap((verb) =>
    [...no, ...batches.slice(0, 8)].map(
      (body): Row => ({
        row: `${verb} ${path}/1 ${body.slice(0, 40)}`,
        request: { verb, target: `${path}/1`, headers: json, body },
        expected: { status: 400, calls: [] }
      })
    )
  )
)
const supplied: Row = {
  row: 'a batch that middleware supplies is held to the same',
  request: { verb: 'POST', target: '/supplied', headers: json, body: '{}' },
  expected: { status: 400, calls: [] }
}
const custom = batches.slice(0, 10).map(
  (body): Row => ({
    row: `a custom method may be called with anything: ${body}`,
    request: { verb: 'POST', target: '/things', headers: { ...json, 'X-Service-Method': 'archive' }, body },
    expected: { status: 200, calls: [{ method: 'archive' }] }
  })
)
t.test('batches with records that are none: nothing reaches the method', (t) =>
  runRows(t as Test, [
    ...batches.map((body) => create('/things', body)),
    ...batches.map((body) => create('/checked', body)),
    ...good,
    ...singles,
    supplied,
    ...custom
  ])
)
