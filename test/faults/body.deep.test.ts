import t, { type Test } from 'tap'
import type { Expected } from './compare.js'
import type { Request } from './exchange.js'
import { type Row, runRows } from './runner.js'

const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const chunked = { 'Transfer-Encoding': 'chunked' }
const writes = ['POST /things', 'PUT /things/1', 'PUT /things', 'PATCH /things/1', 'PATCH /things']

/** A row for each of the requests that write, none of which reaches the service. */
const forEach = (
  row: string,
  requests: readonly string[],
  request: Omit<Request, 'target'>,
  expected: Expected
): Row[] =>
  requests.map((line) => {
    const [verb = '', target = ''] = line.split(' ')
    return { row: `${line}: ${row}`, request: { verb, target, ...request }, expected: { calls: [], ...expected } }
  })

const bad = [
  ...['{', '{"a":NaN}', '{}}', '{} x', '{"__proto__":{}}', '{"a":{"__proto__":{"polluted":1}}}', '{a:1}', "{'a':1}"],
  ...['[{"__proto__":{"polluted":1}}]', '{"constructor":{"prototype":{"polluted":1}}}', '{"a":undefined}', '{"a":1,}'],
  ...['{"\\u005f_proto__":{"polluted":1}}', '[1,]', '{"a":01}', '{"a":+1}', '{"a":Infinity}', '"', '\0', ' ', 'a=1'],
  ...['<a/>', '\ufeff{', '{"a":"\n"}', '//', '[', 'nul', '{"a":1}{"a":2}']
].flatMap((body) =>
  forEach(JSON.stringify(body), [...writes, 'DELETE /things/1'], { headers: json, body }, { status: 400 })
)

const noRecords = writes.flatMap((line) =>
  ['null', '1', '"s"', 'true', '0', '""', ...(line.startsWith('POST') ? [] : ['[]', '[{}]'])].flatMap((body) =>
    forEach(body, [line], { headers: json, body }, { status: 400, message: /must be an object$/ })
  )
)

const empty = [{}, { 'Content-Length': '0' }, json, { ...json, 'Content-Length': '0' }].flatMap((headers) => [
  ...forEach(`no body, ${JSON.stringify(headers)}`, writes, { headers }, { status: 400, message: 'No data provided' }),
  ...forEach(`no body, ${JSON.stringify(headers)}`, ['DELETE /things/1'], { headers }, removed())
])
const none = { headers: { ...json, ...chunked }, body: '0\r\n\r\n' }
empty.push(
  ...forEach('an empty body in chunks', writes, none, { status: 400 }),
  ...forEach('an empty body in chunks', ['DELETE /things/1'], none, removed())
)

function removed(): Expected {
  return { status: 200, calls: [{ method: 'remove', id: '1' }] }
}

const types = [
  ...['text/plain', 'text/plain; charset=utf-8', 'application/json garbage', 'application/jsonp', 'application/xml'],
  ...['multipart/form-data; boundary=x', 'json', '/', '*/*', '', undefined]
].flatMap((type) =>
  forEach(
    `a body of the type ${type}`,
    writes,
    { headers: type === undefined ? {} : { 'Content-Type': type }, body: '{"a":1}' },
    { status: 415 }
  )
)

const parts: [Record<string, string>, string][] = [
  [{ 'Content-Length': '100' }, '{"a":1}'],
  [{ 'Content-Length': '100' }, ''],
  [chunked, '7\r\n{"a":1}\r\n'],
  [chunked, '7\r\n{"a"']
]
const left = [json, form].flatMap((headers) =>
  parts.flatMap(([more, body]) =>
    forEach(
      `the client goes away after ${JSON.stringify(body)} ${JSON.stringify(more)}`,
      [...writes, 'DELETE /things/1'],
      { headers: { ...headers, ...more }, body, leaves: 'at once' },
      { status: [0, 400] }
    )
  )
)
t.test('Body and method: bodies that are none', (t) => runRows(t as Test, [...bad, ...noRecords, ...empty, ...types]))
t.test('Body and method: the client goes away in the middle of its body', (t) => runRows(t as Test, left))

const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`
const large = [json, form].flatMap((headers) => [
  ...forEach('over the limit', writes, { headers, body: `{"a":"${'x'.repeat(1000)}"}` }, { status: 413 }),
  ...forEach(
    'over the limit, and not sent',
    writes,
    { headers: { ...headers, 'Content-Length': '1000000000' } },
    { status: 413 }
  ),
  ...forEach(
    'over the limit in chunks',
    writes,
    { headers: { ...headers, ...chunked }, body: `${chunk}${chunk}0\r\n\r\n` },
    { status: 413 }
  )
])
t.test('Body and method: over the limit', (t) => runRows(t as Test, large, { server: { bodyLimit: 1000 } }))

const nested = (open: string, close: string) => open.repeat(50_000) + close.repeat(50_000)
const deep: [row: string, body: string][] = [
  ['lists', nested('[', ']')],
  ['objects', nested('{"a":', '}').replace('}', '1}')],
  ['open lists', '['.repeat(50_000)],
  ['lists in a field', `{"a":${nested('[', ']')}}`]
]
const nestings = [
  ...deep.flatMap(([row, body]) =>
    forEach(`50,000 ${row}`, ['POST /things', 'PUT /things/1'], { headers: json, body }, { status: 400 })
  ),
  ...forEach(
    '50,000 levels in a form',
    ['POST /things'],
    { headers: form, body: `a${'[a]'.repeat(50_000)}=1` },
    { status: 400 }
  )
]
t.test('Body and method: nested 50,000 deep', (t) =>
  runRows(t as Test, nestings, { server: { bodyLimit: 10_000_000 } })
)
