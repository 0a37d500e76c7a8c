import { BadRequest, GeneralError, NotFound, TooManyRequests, Unavailable } from 'fastify-services'
import t from 'tap'
import { toCSV, toJSONText } from '../../lib/explorer/model/export.js'
import { hear, type ListMessage, mostEvents, nothingHeard, toListening } from '../../lib/explorer/model/heard.js'
import { listOfService } from '../../lib/explorer/model/place.js'
import { toProblem } from '../../lib/explorer/model/problem.js'
import { toRecordLabel } from '../../lib/explorer/model/references.js'
import {
  columnsOf,
  idOfRecord,
  isTokenName,
  pageOf,
  type Rows,
  toCell,
  toRange,
  toReadableBody,
  toReadableText,
  toRows
} from '../../lib/explorer/model/result.js'
import { toDuration, toSize } from '../../lib/explorer/model/units.js'

t.test('a list shows the records of a list or of a page, and nothing of another answer', async (t) => {
  const none = { total: undefined, limit: undefined, skip: 0 }
  t.strictSame(toRows([{ a: 1 }, 7, null, [2]]), {
    records: [{ a: 1 }, { value: 7 }, { value: null }, { value: [2] }],
    ...none
  })
  t.strictSame(toRows({ total: 30, limit: 10, skip: 20, data: [{ a: 1 }] }), {
    records: [{ a: 1 }],
    ...{ total: 30, limit: 10, skip: 20 }
  })
  t.strictSame(toRows({ total: '30', limit: null, skip: '20', data: [] }), { records: [], ...none }, 'no numbers')
  for (const answer of [undefined, null, 'text', 7, {}, { data: {} }, { data: 'text' }])
    t.equal(toRows(answer), undefined)
})

t.test('columns are those that are chosen, else those of the document and then of the records', async (t) => {
  const records = [
    { b: 1, c: 2 },
    { a: 3, b: 2 }
  ]
  t.strictSame(columnsOf(records, ['a', 'b'], []), ['a', 'b', 'c'])
  t.strictSame(columnsOf(records, ['a'], ['c', 'a']), ['c', 'a'])
  t.strictSame(columnsOf([], ['a'], []), ['a'])
})

t.test('a cell is one line, and not a long one', async (t) => {
  const cells = [undefined, null, true, -0.5, 'a\n\t b', { a: 'b\nc' }, [1, 'x'], ''].map(toCell)
  t.strictSame(cells, ['', 'null', 'true', '-0.5', 'a b', '{"a":"b\\nc"}', '[1,"x"]', ''])
  t.equal(toCell('x'.repeat(120)), 'x'.repeat(120))
  t.equal(toCell('x'.repeat(121)), `${'x'.repeat(120)}…`)
})

t.test('an answer is shown as JSON to read, and what is none as it came', async (t) => {
  t.equal(toReadableText('a text'), 'a text')
  t.equal(toReadableText({ a: [1], b: undefined }), '{ "a": [1] }')
  const long = { a: 'x'.repeat(60), 'b-c': [] }
  t.equal(toReadableText(long), `{\n  "a": "${long.a}",\n  "b-c": []\n}`)
  t.strictSame(toReadableBody('{"a":"\u202e"}'), { text: '{ "a": "\\u202e" }', isJSON: true })
  t.strictSame(toReadableBody('{"a":'), { text: '{"a":', isJSON: false })
})

t.test('an id in a URL is the id of the record, or none', async (t) => {
  for (const [id, text] of [
    ['a', 'a'],
    ['', ''],
    [7, '7'],
    [-1.5, '-1.5'],
    [2 ** 53 - 1, '9007199254740991'],
    [2 ** 53, undefined],
    [null, undefined],
    [{}, undefined]
  ])
    t.equal(idOfRecord({ id, _id: 'other' }, 'id'), text)
  t.equal(idOfRecord({}, 'toString'), undefined)
})

t.test('times, sizes and places as people read them', async (t) => {
  t.strictSame([0.4, 12.3, 999.4, 1000, 1234, 60_000].map(toDuration), [
    ...['0 ms', '12 ms', '999 ms'],
    ...['1.0 s', '1.2 s', '60.0 s']
  ])
  t.strictSame([0, 999, 1000, 1234, 100_000, 1_550_000].map(toSize), [
    '0 B',
    '999 B',
    '1 kB',
    '1.2 kB',
    '100 kB',
    '1.6 MB'
  ])
  const range = (count: number, total: number | undefined, skip: number) =>
    toRange({ records: Array(count).fill({}), total, limit: undefined, skip })
  t.equal(range(10, 250, 10), '11–20 of 250')
  t.equal(range(2, undefined, 0), '1–2 of 2', 'a list')
  t.equal(range(2, undefined, 10), '11–12')
  t.equal(range(0, undefined, 0), 'No records')
  t.equal(range(0, 0, 10), 'No records')
  t.equal(range(0, 7, 10), 'Past the last of 7')
  t.equal(range(0, undefined, 10), 'Past the last record')
})

const records = [
  { id: 1, text: 'a, "b"\nc', isOpen: true, tags: ['x'], nothing: null },
  { id: -2, text: '=1+1', other: 7 },
  { id: 3, text: '-1' }
]

t.test('records as CSV', async (t) => {
  t.equal(
    toCSV(['id', 'text', 'isOpen', 'tags', 'nothing'], records),
    'id,text,isOpen,tags,nothing\r\n1,"a, ""b""\nc",true,"[""x""]",\r\n-2,\'=1+1,,,\r\n3,\'-1,,,\r\n'
  )
  t.equal(toCSV(['@a'], []), "'@a\r\n")
})

t.test('records as JSON, with the columns that are shown', async (t) => {
  t.strictSame(JSON.parse(toJSONText(['id', 'nothing'], records)), [{ id: 1, nothing: null }, { id: -2 }, { id: 3 }])
})

t.test('numbers end where somebody has ended them', async (t) => {
  t.strictSame([0.1 + 0.2, 46.9, 1e-7, 1 / 3, 2 ** 53].map(toCell), [
    '0.3',
    '46.9',
    '1e-7',
    '0.333333333333',
    '9007199254740992'
  ])
})

t.test('a list without pages is paged by the browser', async (t) => {
  const place = listOfService('posts')
  const all = toRows(Array.from({ length: 250 }, (_, id) => ({ id }))) as Rows
  const last = pageOf(all, place, 200)
  t.match(last, { total: 250, limit: 100, skip: 200, isInBrowser: true })
  t.equal(last.records.length, 50)
  t.equal(pageOf({ ...all, records: all.records.slice(0, 100) }, place, 0).records.length, 100)
  t.match(pageOf(all, { ...place, limit: 250, skip: 250 }, 0), { skip: 250, isInBrowser: false })
  t.match(pageOf({ ...all, total: 900, limit: 250, skip: 500 }, place, 0), { skip: 500, isInBrowser: false })
})

t.test('what is called a token, and what a record is called', async (t) => {
  const names = ['accessToken', 'refresh_token', 'ID_TOKEN', 'token', 'accessTokens', 'myAccessToken']
  t.strictSame(names.map(isTokenName), [true, true, true, false, false, false])
  const labels = [{ id: 1, title: 'A', email: 'b' }, { name: '', email: 'b' }, { name: 7 }, {}].map(toRecordLabel)
  t.strictSame(labels, ['A', 'b', '', ''])
})

const base = 'http://api.example'
const of = (error: unknown) => toProblem(error, base)

t.test('a request that somebody cancelled can be sent again', async (t) => {
  const { title, isPassing } = of(new DOMException('Aborted', 'AbortError'))
  t.strictSame([title, isPassing], ['Cancelled', true])
})

t.test('an error says what it is, where it is, and what to do', async (t) => {
  t.strictSame(of(new NotFound('No post 7')), {
    title: '404 NotFound',
    message: 'No post 7',
    details: [],
    advice: 'It may have been removed meanwhile, or the id is another one.',
    isLogin: false,
    isPassing: false
  })
  t.match(of(Object.assign(new Error('Not authenticated'), { name: 'NotAuthenticated', code: 401 })), {
    title: '401 NotAuthenticated',
    isLogin: true,
    advice: /^Log in/
  })
  t.match(of(new GeneralError('Oops')), { advice: /its log/ })
  t.equal(of({ code: 500, message: 'Oops' }).title, '500')
  t.match(of(Object.assign(new Error('Closed'), { name: 'Closed', code: 499 })), {
    title: '499 Closed',
    advice: undefined
  })
  t.match(of(new TooManyRequests('Slow', { retryAfter: 1 })), { advice: 'Try again in 1 second.' })
  t.match(of(new Unavailable('Away', { retryAfter: 5 })), {
    title: '503 Unavailable',
    advice: 'Try again in 5 seconds.'
  })
})

t.test('what to do, by the status', async (t) => {
  const advice = (code: number) => of({ code, name: 'Any', message: 'No' }).advice
  t.strictSame([400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 501, 502].map(advice), [
    'Correct what is named here, and send it again.',
    'Log in, or log in again: the token may have expired.',
    'The user of this login may not do this.',
    'It may have been removed meanwhile, or the id is another one.',
    'The server offers no such method here.',
    'Something else has this value already: change it, and send it again.',
    'The server takes less: send a smaller one.',
    'The server takes another content type.',
    'Correct what is named here, and send it again.',
    'These are too many requests: wait a little.',
    'This is a fault of the server: its log says more.',
    'The server has no such method.',
    'This is a fault of the server: its log says more.'
  ])
  t.strictSame([418, Number.NaN, 200].map(advice), [undefined, undefined, undefined])
})

t.test('a server that is not there', async (t) => {
  const error = new Unavailable('GET http://api.example/a got no answer', undefined, { cause: new Error('refused') })
  t.match(of(error), { title: 'No answer', message: 'http://api.example could not be reached.', advice: /running/ })
})

const details = (errors: unknown) =>
  of(new BadRequest('Bad', { errors })).details.map(({ place, path, message }) => [place, path, message])

t.test('the fields that are wrong, whoever has checked them', async (t) => {
  const ajv = [
    { instancePath: '/title', message: 'is short' },
    { instancePath: '', params: { missingProperty: 'text' }, message: 'is missing' },
    { instancePath: '/1/a~1b~0/0', params: { additionalProperty: 'c' }, message: 'is not known' }
  ]
  t.strictSame(details(ajv), [
    ['title', 'title', 'is short'],
    ['text', 'text', 'is missing'],
    ['a/b~.0.c', '1.a/b~.0.c', 'is not known']
  ])
  t.strictSame(details([{ path: ['title', { key: 'de' }], message: 'is short' }]), [
    ['title.de', 'title.de', 'is short']
  ])
  t.strictSame(details({ text: 'is missing', title: ['is short', 'is dull'] }), [
    ['text', 'text', 'is missing'],
    ['title', 'title', 'is short']
  ])
})

t.test('whatever is thrown', async (t) => {
  for (const value of [undefined, null, 0, 'text', {}, [], { message: 7, name: {} }])
    t.match(of(value), {
      title: 'Not sent',
      message: 'Something went wrong',
      details: [],
      advice: undefined,
      isLogin: false
    })
  t.match(of(new TypeError('No')), { title: 'Not sent', message: 'No' })
  t.match(of({ code: 418, name: 7, message: 'Tea' }), { title: '418', message: 'Tea' })
  t.strictSame(details([null, 7, {}, { instancePath: {}, message: {} }]), [
    ['', '', 'is not right'],
    ['', '', 'is not right'],
    ['', '', 'is not right'],
    ['[object Object]', '[object Object]', 'is not right']
  ])
})

t.test('what a message becomes', async (t) => {
  const time = new Date(0)
  const last = (message: ListMessage) => hear(nothingHeard, message, 'id', time).events[0]
  t.same(last({ event: 'created', data: { id: 7, text: 'a' } }), { time, name: 'created', id: '7', text: '' })
  t.same(last({ event: 'typing', data: [1] }), { time, name: 'typing', id: undefined, text: '[1]' })
  t.same(last({ event: 'typing' }), { time, name: 'typing', id: undefined, text: '' })
  t.match(last({ event: 'changed' }), { text: 'Something in the list may have changed.' })
  t.equal(hear(nothingHeard, { event: 'connected' }, 'id', time), nothingHeard)
  let heard = nothingHeard
  for (let id = 0; id < mostEvents + 5; id++) heard = hear(heard, { event: 'created', data: { id } }, 'id', time)
  t.equal(heard.events.length, mostEvents)
  t.match(heard, { dropped: 5, events: [{ id: String(mostEvents + 4) }] })
  t.match(toListening({ event: 'stale' }), {
    text: 'Not live: the stream has ended. It is tried again.',
    isOver: false
  })
  const error = { message: 'No way' }
  t.match(toListening({ event: 'connected' }), { isLive: true, isOver: false })
  t.match(toListening({ event: 'stale', error }), { text: 'Not live: No way. It is tried again.', isOver: false })
  t.match(toListening({ event: 'stopped', error: { message: 'No' } }), { text: 'Not live: No', isOver: true })
  t.equal(toListening({ event: 'stopped', reason: 'closing' }), undefined, 'it is tried again, and says so then')
  t.equal(toListening({ event: 'created' }), undefined)
})
