import t from 'tap'
import { toLiteral } from '../../lib/explorer/model/literal.js'
import * as results from '../../lib/explorer/model/result.js'

t.test('a list shows the records of a list or of a page, and nothing of another answer', async (t) => {
  const { toRows } = results
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
  t.strictSame(results.columnsOf(records, ['a', 'b'], []), ['a', 'b', 'c'])
  t.strictSame(results.columnsOf(records, ['a'], ['c', 'a']), ['c', 'a'])
  t.strictSame(results.columnsOf([], ['a'], []), ['a'])
})

t.test('a cell is one line, and not a long one', async (t) => {
  const cells = [undefined, null, true, -0.5, 'a\n\t b', { a: 'b\nc' }, [1, 'x'], ''].map(results.toCell)
  t.strictSame(cells, ['', 'null', 'true', '-0.5', 'a b', '{"a":"b\\nc"}', '[1,"x"]', ''])
  t.equal(results.toCell('x'.repeat(120)), 'x'.repeat(120))
  t.equal(results.toCell('x'.repeat(121)), `${'x'.repeat(120)}…`)
})

t.test('an answer is shown as JSON to read, and what is none as it came', async (t) => {
  t.equal(results.toReadableText('a text'), 'a text')
  t.equal(results.toReadableText({ a: [1], b: undefined }), '{ "a": [1] }')
  const long = { a: 'x'.repeat(60), 'b-c': [] }
  t.equal(results.toReadableText(long), `{\n  "a": "${long.a}",\n  "b-c": []\n}`)
  t.strictSame(results.toReadableBody('{"a":"\u202e"}'), { text: '{ "a": "\\u202e" }', isJSON: true })
  t.strictSame(results.toReadableBody('{"a":'), { text: '{"a":', isJSON: false })
})

t.test('data as it is written in JavaScript', async (t) => {
  const data = JSON.parse(`{ "a": "it's \\"b\\"\\n", "b-c": null, "__proto__": [true], "\u202e": {} }`)
  t.equal(toLiteral(data), `{ a: 'it\\'s "b"\\n', 'b-c': null, ['__proto__']: [true], '\\u202e': {} }`)
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
    t.equal(results.idOfRecord({ id, _id: 'other' }, 'id'), text)
  t.equal(results.idOfRecord({}, 'toString'), undefined)
})

t.test('times, sizes and places as people read them', async (t) => {
  t.strictSame([0.4, 12.3, 999.4, 1000, 1234, 60_000].map(results.toDuration), [
    ...['0 ms', '12 ms', '999 ms'],
    ...['1.0 s', '1.2 s', '60.0 s']
  ])
  t.strictSame([0, 999, 1000, 1234, 100_000].map(results.toSize), ['0 B', '999 B', '1.0 kB', '1.2 kB', '100.0 kB'])
  const range = (count: number, total: number | undefined, skip: number) =>
    results.toRange({ records: Array(count).fill({}), total, limit: undefined, skip })
  t.equal(range(10, 250, 10), '11–20 of 250')
  t.equal(range(2, undefined, 0), '1–2 of 2', 'a list')
  t.equal(range(2, undefined, 10), '11–12')
  t.equal(range(0, undefined, 0), 'No records')
  t.equal(range(0, 0, 10), 'No records')
  t.equal(range(0, 7, 10), 'Past the last of 7')
  t.equal(range(0, undefined, 10), 'Past the last record')
})
