import t from 'tap'
import * as results from '../../lib/explorer/model/result.js'

const {
  toRows,
  columnsOf,
  toCell,
  toReadableText: toReadable,
  toReadableBody,
  idOfRecord: idOf,
  toDuration,
  toSize,
  toRange
} = results

t.test('lists and pages are rows', async (t) => {
  const none = { total: undefined, limit: undefined, skip: 0 }
  t.strictSame(toRows([{ a: 1 }, 2, null]), { records: [{ a: 1 }, { value: 2 }, { value: null }], ...none })
  t.strictSame(toRows({ total: 5, limit: 2, skip: 2, data: [{}] }), { records: [{}], total: 5, limit: 2, skip: 2 })
  t.strictSame(toRows({ total: 'x', data: [] }), { records: [], ...none })
  for (const one of [null, 'text', 5, {}, { data: {} }]) t.equal(toRows(one), undefined)
})

t.test('columns are those of the document, then others, or those that are chosen', async (t) => {
  const records = [{ b: 1, c: 2 }, JSON.parse('{ "__proto__": 1 }')]
  t.strictSame(columnsOf(records, ['a', 'b'], []), ['a', 'b', 'c', '__proto__'])
  t.strictSame(columnsOf(records, ['a', 'b'], ['c']), ['c'])
})

t.test('a cell is one line', async (t) => {
  const cells = [undefined, null, 'a\n\tb', 5, true, { a: ['b'] }, 'x'.repeat(121)].map(toCell)
  t.strictSame(cells, ['', 'null', 'a b', '5', 'true', '{"a":["b"]}', `${'x'.repeat(120)}…`])
})

t.test('ids that a URL can hold', async (t) => {
  t.strictSame(
    ['a', 7, null, {}, undefined].map((id) => idOf({ id }, 'id')),
    ['a', '7', undefined, undefined, undefined]
  )
  t.equal(idOf({}, 'constructor'), undefined)
  const read = JSON.parse('[9007199254740993, 9007199254740991, 1.5]')
  t.strictSame(
    read.map((id: number) => idOf({ id }, 'id')),
    [undefined, '9007199254740991', '1.5'],
    'one that may be another one leads nowhere'
  )
})

t.test('answers to read', async (t) => {
  t.equal(toReadable('text'), 'text')
  t.equal(toReadable({ a: [1, 2], b: { c: null } }), '{ "a": [1, 2], "b": { "c": null } }')
  const long = { a: ['x'.repeat(40), 'y'.repeat(40)], b: {}, c: [] }
  t.equal(
    toReadable(long),
    `{\n  "a": [\n    "${'x'.repeat(40)}",\n    "${'y'.repeat(40)}"\n  ],\n  "b": {},\n  "c": []\n}`
  )
  t.strictSame(JSON.parse(toReadable(long)), long)
  t.equal(toReadableBody('{"a":1}'), '{ "a": 1 }')
  t.equal(toReadableBody('no JSON'), 'no JSON')
})

t.test('numbers to read', async (t) => {
  t.strictSame([0.4, 12.3, 1234].map(toDuration), ['0 ms', '12 ms', '1.2 s'])
  t.strictSame([0, 999, 1000, 1234, 100_000].map(toSize), ['0 B', '999 B', '1.0 kB', '1.2 kB', '100.0 kB'])
  const records = [{}, {}]
  const range = (part: object) => toRange({ records, total: undefined, limit: undefined, skip: 0, ...part })
  t.equal(range({}), '1–2 of 2')
  t.equal(range({ skip: 10 }), '11–12')
  t.equal(range({ skip: 10, total: 250 }), '11–12 of 250')
  t.equal(range({ records: [], total: 0 }), 'No records')
  t.equal(range({ records: [] }), 'No records')
  t.equal(range({ records: [], total: 5, skip: 9 }), 'Past the last of 5')
  t.equal(range({ records: [], skip: 9 }), 'Past the last record')
})
