import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'
import { oddSources } from './server/odd-sources.js'

const rows = Object.entries(oddSources).flatMap(([name, [status]]): Row[] => {
  const target = `/odd-sources/${encodeURIComponent(name)}`
  return [
    // What fails midway is cut off; a line that is no JSON is in no answer.
    { row: name, request: { target }, expected: { status, absent: /\bundefined\b|no disk.*js:/, isAnyEnd: true } },
    { row: `HEAD of ${name}`, request: { verb: 'HEAD', target }, expected: { status: [status, 200].flat() } }
  ]
})

t.test('sources that are over before they are returned, and odd items', (t) =>
  runRows(t as Test, rows, { room: 'streams' })
)
t.test('the same by HTTP/2', (t) => runRows(t as Test, rows, { room: 'streams', http2: true }))
t.test('the same on a host with hooks of its own', (t) => runRows(t as Test, rows, { room: 'streams', late: true }))
