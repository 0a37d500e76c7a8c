import t from 'tap'
import { group, quote, toJSON, toKey, toLiteral, toReadableJSON } from '../../lib/explorer/model/literal.js'
import * as results from '../../lib/explorer/model/result.js'
import { formsOf, headerForms } from '../../lib/explorer/model/texts.js'
import { isKept } from '../support/kept.js'
import { toPlain } from './plain.js'

const lines = (text: unknown) => (typeof text === 'string' && text.includes('\n') ? text.split('\n') : toPlain(text))
const parsed = (text: string) => JSON.parse(text)

/** The codes of the characters that are written in letters, as spans. */
function hiddenCodes(): string[] {
  const codes = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) =>
    toJSON(`a${String.fromCharCode(code)}`).includes('\\u')
  )
  const starts = codes.filter((code) => !codes.includes(code - 1))
  const ends = codes.filter((code) => !codes.includes(code + 1))
  return starts.map((start, index) => [start, ends[index] as number].map((code) => code.toString(16)).join('-'))
}

t.test('texts as JSON and as literals', async (t) => {
  // biome-ignore format: a table
  const texts = [
    '', 'a', `it's "a" \\ \\' \\" \\n`, 'a\n\t\r\b\f\u0000\u001f', '\u007f\u0085\u00ad\u202e\ufeff', "''", '\\u0041 é \ud83d\ude00 \ud83d'
  ]
  // biome-ignore format: a table
  const keys = ['a', 'A_1$', '$a', '_', '1a', 'a-b', 'a b', '', "it's", 'é', '__proto__', 'constructor', 'a\n', '-a']
  const fills = (length: number) => ({ a: 'x'.repeat(length) })
  // biome-ignore format: a table
  const values: unknown[] = [
    ...[undefined, null, true, 0, -1.5, 'a', [], {}, [[]], [{}], { a: [] }, { a: undefined, b: 1 }, [undefined, null]],
    ...[{ 'a-b': { c: "it's" } }, parsed('{"__proto__":{"a":1},"2":"b"}'), { 1: 'a', '\u202e': '\u202e' }],
    ...[60, 61, 62, 63, 64].map((length) => fills(length)),
    ...[61, 62, 63].map((length) => ({ b: fills(length - 5) })),
    ...[62, 63, 64, 65].map((length) => ['x'.repeat(length), 1]),
    ...[{ a: 'x'.repeat(90), b: [1, [2], { c: [] }], d: {} }, ['x'.repeat(40), { y: ['y'.repeat(50), 'z'] }]]
  ]
  const parts = ['x'.repeat(30), 'y'.repeat(30)]
  const groups = [0, 1, 5, 6, 7, 8, 9, 10].flatMap((before) =>
    ['', '  '].map((indent) => [before, indent.length, lines(group(parts, indent, ['(', ')', ''], before))])
  )
  isKept(
    t,
    {
      hidden: hiddenCodes(),
      texts: texts.map((text) => [toJSON(text), quote(text)]),
      keys: keys.map((key) => [key, toKey(key)]),
      values: values.map((value) => [
        lines(toLiteral(value)),
        lines(toLiteral(value, '    ')),
        lines(toReadableJSON(value))
      ]),
      json: [undefined, () => 1, null, { a: undefined }].map(toJSON),
      groups: [...groups, group([], '  ', ['{', '}', ' ']), lines(group(['a\nb'], '  ', ['[', ']', '']))],
      secrets: texts.map((text) => [formsOf(text), headerForms(text)])
    },
    'test/explorer/whole-texts.txt'
  )
  t.equal(groups.length, 16)
})

t.test('answers as they are shown', async (t) => {
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
  const odd = [undefined, null, true, 0, -0, 'text', '', [], {}, [[]], [null, 1, 'a', [2], { a: 1 }]]
  // biome-ignore format: a table
  const pages: unknown[] = [
    ...odd,
    ...odd.map((data) => ({ data })),
    ...['total', 'limit', 'skip'].flatMap((name) => [0, 7, '7', null].map((value) => ({ [name]: value, data: [{ a: 1 }] }))),
    { total: 30, limit: 10, skip: 20, data: [{ a: 1 }, { b: 2 }] }, Object.assign([1], { total: 9 }), Object.create({ data: [1] })
  ]
  const page = (count: number, total: number | undefined, skip: number) => ({
    ...{ records: Array.from({ length: count }, () => ({})), limit: undefined },
    ...{ total, skip }
  })
  const counts = [0, 1, 2].flatMap((count) =>
    [undefined, 0, 1, 2, 250].flatMap((total) => [0, 1, 10].map((skip) => [count, total, skip] as const))
  )
  const records = [{ b: 1, c: 2 }, parsed('{"__proto__":1,"b":2,"a":3}')]
  // biome-ignore format: a table
  const cells = [
    ...odd,
    ...['a\n\t b', ' a  b ', '\r\n', { a: 'b\nc' }, '\u2028', 5, 1e21],
    ...[119, 120, 121, 122].map((length) => 'x'.repeat(length)),
    ...[
      `${'x'.repeat(119)} y`, `${'x'.repeat(118)}  yz`, `${' '.repeat(121)}x`, `${' '.repeat(120)}`, ['y'.repeat(117)], ['y'.repeat(116)]
    ]
  ]
  // biome-ignore format: a table
  const ids = [
    'a', '', 0, 7, -7, 1.5, 2 ** 53, 2 ** 53 - 1, 1 - 2 ** 53, -(2 ** 53), 1e300, 1e-7, Number.NaN, null, true, {}, ['a'], undefined
  ]
  // biome-ignore format: a table
  const bodies = ['', 'text', '{"a":1}', '[1,{"b":[]}]', '"a"', '7', ' null ', '{"a":', `{"a":"${'x'.repeat(80)}"}`, '"\u202e"']
  // biome-ignore format: a table
  const times = [0, 0.4, 0.5, 1, 12.3, 999, 999.4, 999.5, 999.9, 1000, 1049, 1051, 1234, 60_000]
  // biome-ignore format: a table
  const sizes = [0, 1, 999, 1000, 1001, 1049, 1050, 1051, 1234, 100_000, 1_000_000]
  isKept(
    t,
    {
      rows: pages.map((one) => [toPlain(one), toPlain(toRows(one))]),
      ranges: counts.map(([count, total, skip]) => [count, toPlain(total), skip, toRange(page(count, total, skip))]),
      columns: [
        ...[
          columnsOf(records, ['a', 'b'], []),
          columnsOf(records, ['a'], ['c', 'a', 'c']),
          columnsOf([], ['a', 'a'], [])
        ],
        ...[columnsOf(records, [], []), columnsOf([], [], ['a'])]
      ],
      cells: cells.map((cell) => [toPlain(cell), toCell(cell)]),
      readable: [...odd, { a: [1] }, '{"a":1}'].map((one) => [toPlain(one), lines(toReadable(one))]),
      bodies: bodies.map((body) => [body, lines(toReadableBody(body).text)]),
      ids: [
        ...ids.map((id) => [toPlain(id), toPlain(idOf({ id, _id: 'no' }, 'id'))]),
        ...[{}, { id: 'no', _id: 3 }].map((record) => [
          record,
          toPlain(idOf(record, '_id')),
          toPlain(idOf(record, 'toString'))
        ])
      ],
      durations: times.map((time) => [time, toDuration(time)]),
      sizes: sizes.map((size) => [size, toSize(size)])
    },
    'test/explorer/whole-results.txt'
  )
})
