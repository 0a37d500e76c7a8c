import t, { type Test } from 'tap'
import type { Expected } from './compare.js'
import { type Row, runRows } from './runner.js'
import { oddErrors, replies, results, thrown } from './server/acts.js'
import { listeners, placePath, places } from './server/places.js'

const row = (name: string, place: string, table: string, id: string, expected: Expected, html = false): Row => ({
  row: `${name} ${id} in ${place}${html ? ', as HTML' : ''}`,
  request: {
    target: `/${placePath(place, table)}/${encodeURIComponent(id)}`,
    ...(html && { headers: { Accept: 'text/html' } })
  },
  expected
})

// The words of the engine, and the place of a file, tell of the server.
const internals = /a BigInt|circular|Cannot |owned|node_modules|\.js:\d|\bat /i

// An error hook that sets no error leaves that of the method.
const statusOfThrown = (place: string, id: string) =>
  / sets /.test(place) && /^(null|undefined)$/.test(id) ? 404 : 500
const throws = (html: boolean) =>
  Object.keys(places).flatMap((place) =>
    Object.keys(thrown).map((id) =>
      row('throw of', place, 'thrown', id, { status: statusOfThrown(place, id), absent: /owned/ }, html)
    )
  )

// Without a code and a class name it is no service error.
const statusOf = (id: string) => (/^code/.test(id) ? 500 : /^className/.test(id) ? [409, 500] : 409)
const odd = ['a method', 'an error hook that sets it'].flatMap((place) =>
  Object.keys(oddErrors).flatMap((id) =>
    [false, true].map((html) =>
      row('an error with an odd', place, 'odd-errors', id, { status: statusOf(id), name: /^/ }, html)
    )
  )
)

const ofReplies = ['a before hook', 'an after hook', 'an around hook'].flatMap((place) =>
  Object.keys(replies).map((id) => row('`http` with', place, 'replies', id, { status: 500, absent: /owned/ }))
)
const ofResults = Object.keys(results).map((id) =>
  row('a result with', 'a method', 'results', id, { status: 500, absent: internals })
)

const ofListeners = listeners.flatMap((place) =>
  Object.keys(thrown).map(
    (id): Row => ({
      row: `${place} that throws ${id}: the response is unaffected`,
      request: { verb: 'DELETE', target: `/places/${place.replaceAll(' ', '-')}/${encodeURIComponent(id)}` },
      expected: { status: 200, body: { id } }
    })
  )
)
const next: Row[] = ['twice', 'never'].map((times) => ({
  row: `a hook that calls \`next()\` ${times}`,
  request: { target: `/places/next-${times}/1` },
  expected: { status: 500 }
}))

const page: Row[] = ['/%3Cscript%3E', '/a"onload=x', "/a'b", '/?<script>alert(1)</script>', '/&lt;'].map((target) => ({
  row: `the page for ${target}: escaped`,
  request: { target: `/nowhere${target}`, headers: { Accept: 'text/html' } },
  expected: { status: 404, absent: /<script|"onload|'b/ }
}))

t.test('Results and errors: thrown', (t) => runRows(t as Test, throws(false), { room: 'places' }))
t.test('Results and errors: thrown, as HTML', (t) => runRows(t as Test, throws(true), { room: 'places' }))
t.test('Results and errors: on a host with hooks of its own', (t) =>
  runRows(t as Test, [...throws(false), ...ofResults], { room: 'places', late: true })
)
t.test('Results and errors: the rest', (t) =>
  runRows(t as Test, [...odd, ...ofReplies, ...ofResults, ...ofListeners, ...next, ...page], { room: 'places' })
)
