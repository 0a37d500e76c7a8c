import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'
import { sources, textOf } from './server/sources.js'
import { isReplaced, pathOf, ways } from './server/ways.js'

const target = (way: string, source: string, course = 'ends') => {
  const folder = ways[way]?.isLate ? 'late' : 'streams'
  return `/${folder}/${pathOf(way)}/${encodeURIComponent(source)}?course=${encodeURIComponent(course)}`
}

/** What a method returns, and what becomes of it on its way: the answer fits, the source is closed. */
const rows = Object.entries(ways).flatMap(([way, { status, verb, leaves }]) =>
  Object.keys(sources).map((source): Row => {
    const body = isReplaced(way) ? { replaced: true } : way === 'it is sent' ? textOf(source) : undefined
    return {
      row: `${source} as a result, and ${way}`,
      request: { target: target(way, source), ...(verb && { verb }), ...(leaves && { leaves: 'told' }) },
      expected: { status, ...(body && { body }) }
    }
  })
)

for (const http2 of [false, true])
  t.test(`a result that is a stream, by HTTP/${http2 ? 2 : 1}`, (t) => runRows(t as Test, rows, http2 ? { http2 } : {}))
