import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'
import { sources, textOf } from './server/sources.js'
import { isReplaced, targetOf, ways } from './server/ways.js'

/** What a method returns, and what becomes of it on its way: the answer fits, the source is closed. */
const rows = Object.entries(ways).flatMap(([way, { status, verb, leaves }]) =>
  Object.keys(sources).map((source): Row => {
    // It flows whether somebody listens or not: what is lost makes an error of the whole.
    if (source.endsWith('style of old') && way.endsWith('takes its time'))
      return {
        row: `${source} as a result, and ${way}`,
        request: { target: targetOf(way, source, 'ends') },
        expected: { status: 500, message: /^The stream has begun before/ }
      }
    const body = isReplaced(way)
      ? { replaced: true }
      : /^(it is sent|the method tells|.* takes its time)/.test(way)
        ? textOf(source)
        : undefined
    return {
      row: `${source} as a result, and ${way}`,
      request: { target: targetOf(way, source, 'ends'), ...(verb && { verb }), ...(leaves && { leaves: 'told' }) },
      expected: { status, ...(body && { body }) }
    }
  })
)

for (const http2 of [false, true])
  t.test(`a result that is a stream, by HTTP/${http2 ? 2 : 1}`, (t) =>
    runRows(t as Test, rows, { room: 'streams', ...(http2 && { http2 }) })
  )
