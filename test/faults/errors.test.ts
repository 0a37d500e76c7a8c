import t, { type Test } from 'tap'
import { type Expected, type Row, runRows } from './runner.js'
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
const internals = /BigInt|circular|Cannot |owned|node_modules|\.js:\d|\bat /i

const throws = Object.keys(places).flatMap((place) =>
  Object.keys(thrown).flatMap((id) =>
    [false, true].map((html) => row('throw of', place, 'thrown', id, { status: 500, absent: /owned/ }, html))
  )
)

// A code and a class name make a service error: without them it is none.
const statusOf = (id: string) => (/^(code|className),/.test(id) ? 500 : 409)
const odd = ['a method', 'an error hook that sets it', 'a middleware after'].flatMap((place) =>
  Object.keys(oddErrors).flatMap((id) =>
    [false, true].map((html) =>
      row('an error with an odd', place, 'odd-errors', id, { status: [statusOf(id), 500], name: /^.+$/ }, html)
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

for (const late of [false, true]) {
  const options = late ? { late } : {}
  const host = late ? 'a host with hooks of its own' : 'a plain host'
  t.test(`Results and errors: thrown, on ${host}`, (t) => runRows(t as Test, throws, options))
  t.test(`Results and errors: the rest, on ${host}`, (t) =>
    runRows(t as Test, [...odd, ...ofReplies, ...ofResults, ...ofListeners, ...next, ...page], options)
  )
}
