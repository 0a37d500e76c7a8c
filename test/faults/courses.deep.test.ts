import t, { type Test } from 'tap'
import type { Expected } from './compare.js'
import type { Request } from './exchange.js'
import { type Row, runRows } from './runner.js'
import { type Course, sources } from './server/sources.js'
import { targetOf, ways } from './server/ways.js'

const sent = 'it is sent'
const told = 'the method tells that it returns'

/** What becomes of each source that takes this course. */
const forEach = (course: Course, way: string, expected: Expected, request: Omit<Request, 'target'> = {}): Row[] =>
  Object.keys(sources).map((source) => ({
    row: `${source} that ${course}, and ${way}${request.leaves ? `, the client leaves ${request.leaves}` : ''}`,
    request: { target: targetOf(way, source, course), ...request },
    expected
  }))

const waiting: Course[] = ['goes on', 'waits', 'waits before its first item']
const taking = Object.keys(ways).filter((way) => way.endsWith('takes its time'))

const rows: Row[] = [
  ...forEach('fails', sent, { status: 500 }),
  ...forEach('fails midway', sent, { status: [200, 500], isCut: true }),
  ...taking.flatMap((way) => forEach('fails', way, { status: 500 })),
  ...taking.flatMap((way) => forEach('fails midway', way, { status: [200, 500], isCut: true })),
  ...forEach('fails', 'it is asked for by HEAD', { status: [200, 500] }, { verb: 'HEAD' }),
  ...waiting.flatMap((course) => forEach(course, 'it is asked for by HEAD', { status: 200 }, { verb: 'HEAD' })),
  ...waiting.slice(0, 2).flatMap((course) => forEach(course, sent, { status: 200 }, { leaves: 'midway' })),
  ...waiting.flatMap((course) => forEach(course, told, { status: [0, 200] }, { leaves: 'told' }))
]

/** The same ways as of those that end, where there is no end, and where the source itself is the one that fails. */
const onTheWay = (course: Course) =>
  Object.entries(ways).flatMap(([way, { status, verb, leaves }]) =>
    status === 200 && !/answers|replaces|something|dispatch|takes the error/.test(way)
      ? []
      : forEach(course, way, { status: [status, 500] }, { ...(verb && { verb }), ...(leaves && { leaves: 'told' }) })
  )

t.test('a source that fails, or has no end', (t) => runRows(t as Test, rows, { room: 'streams' }))
t.test('the same by HTTP/2', (t) => runRows(t as Test, rows, { room: 'streams', http2: true }))
t.test('the same on a host with hooks of its own', (t) => runRows(t as Test, rows, { room: 'streams', late: true }))
t.test('a source that fails on its way', (t) => runRows(t as Test, onTheWay('fails'), { room: 'streams' }))
t.test('a source that waits on its way', (t) =>
  runRows(t as Test, onTheWay('waits before its first item'), { room: 'streams' })
)

const files = Object.entries(ways).flatMap(([way, { status, verb, leaves }]): Row[] =>
  ['a file', 'a file that is not there'].map((file) => ({
    row: `${file}, and ${way}`,
    request: { target: targetOf(way, file, 'ends'), ...(verb && { verb }), ...(leaves && { leaves: 'told' }) },
    expected: {
      status: file === 'a file' ? status : /^(it is sent|.* takes its time)$/.test(way) ? 500 : [status, 500]
    }
  }))
)
t.test('a file, and one that is not there', (t) => runRows(t as Test, files, { room: 'streams' }))
