import fc from 'fast-check'
import t from 'tap'
import { factsOfRecord, indexKeyOf, matches, prepareConditions, prepareFacts } from '../../lib/core/matching.js'

const toFacts = (record: object) => prepareFacts(factsOfRecord(record))
const sureOf = (value: unknown, condition: unknown) => matches({ field: condition }, toFacts({ field: value }))

t.test('what is certain, and what only the database knows', async (t) => {
  const oid = (text: string) => ({ toHexString: () => text })
  const day = new Date('2026-01-01T00:00:00.000Z')
  const rows: [value: unknown, condition: unknown, expected: boolean | undefined][] = [
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', 'A', undefined],
    ['a', 'a ', undefined],
    ['é', 'e', undefined],
    ['7', '7.0', undefined],
    [7, 7, true],
    [7, 8, false],
    [7, '7', undefined],
    [7, '8', false],
    [7n, 7, undefined],
    [7n, 7n, true],
    [true, true, true],
    [true, false, false],
    [true, 'true', undefined],
    [true, 1, undefined],
    [true, 0, false],
    [1, true, undefined],
    [null, null, true],
    [null, 'a', false],
    ['a', null, false],
    [null, { $ne: 'a' }, undefined],
    [null, { $ne: null }, false],
    ['a', { $ne: null }, true],
    ['a', { $ne: 'b' }, true],
    ['a', { $ne: 'A' }, undefined],
    ['a', { $eq: 'a' }, true],
    ['a', { $in: ['b', 'a'] }, true],
    ['a', { $in: ['b'] }, false],
    ['a', { $in: [] }, false],
    [null, { $in: ['a', null] }, undefined],
    ['a', { $in: 'a' }, undefined],
    ['a', { $nin: ['b'] }, true],
    ['a', { $nin: ['a'] }, false],
    ['a', { $nin: ['b', null] }, undefined],
    [null, { $nin: ['a'] }, undefined],
    ['a', { $nin: 'a' }, undefined],
    [5, { $gt: 4 }, true],
    [5, { $gt: 5 }, false],
    [5, { $gte: 5 }, true],
    [5, { $lt: 5 }, false],
    [5, { $lt: 6 }, true],
    ['a', { $eq: ['a'] }, undefined],
    [5, { $lte: 5 }, true],
    [5, { $gt: '4' }, undefined],
    ['b', { $gt: 'a' }, undefined],
    [day, { $gt: '2025-01-01T00:00:00Z' }, true],
    [day, { $gt: day }, undefined],
    [day, { $gt: 5 }, undefined],
    [day, true, undefined],
    [day, day, undefined],
    [day, '2025-01-01T00:00:00Z', false],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', undefined],
    ['2026-01-01T00:00:00Z', '2025-01-01T00:00:00Z', false],
    ['2026-01-01', 'Jan 1 2026', undefined],
    ['10:00', '10:00:00', undefined],
    [oid('aa'), oid('aa'), true],
    [oid('aa'), oid('bb'), false],
    [oid('aa'), 'aa', undefined],
    [oid('aa'), 'bb', false],
    ['aa', oid('aa'), undefined],
    [5, { $gt: Number.NaN }, undefined],
    [Number.NaN, 5, undefined],
    ['a', { $like: 'a%' }, undefined],
    ['a', {}, undefined],
    ['a', ['a'], undefined],
    ['a', undefined, undefined],
    [{}, 'a', undefined],
    ['x'.repeat(300), 'x', undefined],
    ['a', 'x'.repeat(300), undefined],
    [new Date('x'), { $gt: 1 }, undefined],
    ['2026-01-02', { $gt: '2026-01-01' }, undefined],
    ['b 2', { $gt: 'a 1' }, undefined]
  ]
  for (const [value, condition, expected] of rows) {
    const text = JSON.stringify(condition, (_, item) => (typeof item === 'bigint' ? String(item) : item))
    t.equal(sureOf(value, condition), expected, `${String(value)} ${text}`)
    const prepared = prepareConditions({ field: condition }) as object
    t.equal(matches({ ...prepared }, toFacts({ field: value })), expected, `${String(value)} ${text}, prepared`)
  }
})

t.test('what some database finds equal is never different, and the other way round', async (t) => {
  const alike: [unknown, unknown][] = [
    ['a', 'A'],
    ['a', 'a '],
    ['a', 'a\u0000'],
    ['a', 'a\u200b'],
    ['a', 'à'],
    ['o', 'ø'],
    ['ae', 'æ'],
    ['ß', 'ẞ'],
    ['ss', 'ß'],
    ['🍣', '🍺'],
    ['山', '川'],
    ['a-b', 'ab'],
    ['a b', 'a_b'],
    ['', '-'],
    ['1.5', '15'],
    ['a01', 'a1'],
    ['i', 'y'],
    ['i', 'J'],
    ['u', 'V'],
    ['v', 'w'],
    ['m', 'n'],
    ['c', 'ch'],
    ['tty', 'tyty'],
    ['ddzs', 'dzsdzs'],
    ['e', '`'],
    ['y', '~'],
    ['7.50', '7.5'],
    ['7', '0x7'],
    ['12345678-0123-4567-89ab-0123456789ab', '123456780123456789ab0123456789ab'],
    ['12345678-0123-4567-89ab-0123456789ab', '{123456780123456789AB0123456789AB}'],
    ['1e1', '10'],
    ['20260101', '2026-01-01'],
    [0, 'abc'],
    [7, '7 apples'],
    [7, '1_0'],
    [7, '7'],
    ['7', 7n],
    [7n, 7],
    ['abc', 0],
    [0.1, Math.fround(0.1)],
    [2 ** 53, 2 ** 53 + 2],
    [new Date('2026-01-01T00:00:00Z'), '2026-01-01T12:00:00Z'],
    [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00.400Z')]
  ]
  for (const [first, second] of alike)
    for (const [value, condition] of [
      [first, second],
      [second, first]
    ]) {
      const text = `${String(value)} ${String(condition)}`
      t.equal(sureOf(value, condition), undefined, text)
      for (const negation of [{ $ne: condition }, { $nin: [condition] }])
        t.equal(sureOf(value, negation), undefined, `${Object.keys(negation)} ${text}`)
    }
  // The value is one of a column of numbers then.
  for (const [value, condition] of [
    ['0.00', 'abc'],
    ['7.50', '7.5 kg']
  ])
    t.equal(sureOf(value, condition), undefined, `${value} ${condition}`)
  t.equal(sureOf(0.1, 0.1), undefined, 'a float of four bytes is not equal to its text')
  t.equal(sureOf(0.1, { $lte: 0.1 }), undefined)
  const different: [unknown, unknown][] = [
    ['a', 'b'],
    ['todo', 'done'],
    ['3f2504e0-4f89-11d3-9a0c-0305e82c3301', '3f2504e0-4f89-11d3-9a0c-0305e82c3302'],
    ['7', '8'],
    [7, '8.5'],
    [7, 8],
    [2 ** 30, 2 ** 30 + 1],
    [0.5, 0.25],
    ['2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z']
  ]
  for (const [first, second] of different) t.equal(sureOf(first, second), false, `${first} ${second}`)
})

t.test('junctions, and what no adapter agrees on', async (t) => {
  const facts = toFacts({ a: 1, b: 2 })
  t.equal(matches({ $or: [{ a: 2 }, { b: 2 }] }, facts), true)
  t.equal(matches({ $or: [{ a: 2 }, { b: 3 }] }, facts), false)
  t.equal(matches({ $or: [{ a: 2 }, { c: 3 }] }, facts), undefined)
  t.equal(matches({ $and: [{ a: 1 }, { b: 2 }] }, facts), true)
  for (const parts of [[], [{}], 'a', [null], [1]]) t.equal(matches({ $or: parts }, facts), undefined)
  t.equal(matches({ $or: [{}, { a: 1 }] }, facts), true)
  t.equal(matches({ a: 1, $text: 'b' }, facts), undefined)
  t.equal(matches({ a: 2 }, facts, new Set(['a'])), undefined)
  t.equal(matches({ a: 2, ':room': '7' }, facts, true), undefined)
  t.equal(matches({ ':room': '7' }, toFacts({ ':room': '8' }), true), false)
})

t.test('two values of a kind that may be equal stand at the same place of an index', async (t) => {
  t.equal(indexKeyOf({ toHexString: () => 'aa' }), indexKeyOf('AA'))
  t.ok(indexKeyOf('a') && indexKeyOf('7') && indexKeyOf(7), 'texts and numbers stand there')
  t.equal(indexKeyOf(new Date()), undefined)
  const value = fc.oneof(
    fc.integer({ min: -3, max: 12 }),
    fc.bigInt({ min: -3n, max: 12n }),
    fc.boolean(),
    fc.constant(null),
    fc.double(),
    fc.string({ maxLength: 3 }),
    fc.constantFrom(
      '7',
      ' 7',
      '7.0',
      '07',
      'a',
      'A',
      'ä',
      'Ä',
      'a ',
      '',
      '1e1',
      '10',
      '0xA',
      '2026-01-01',
      '2026-01-01T00:00:00Z',
      '10:00',
      'Infinity',
      'true',
      '½',
      'tty',
      'tyty',
      '1-0',
      '1.0',
      'ch',
      'c',
      'ß',
      'SS',
      '７'
    )
  )
  fc.assert(
    fc.property(value, value, (first, second) => {
      const [place, other] = [indexKeyOf(first), indexKeyOf(second)]
      if (sureOf(first, second) === false || place?.[0] !== other?.[0]) return
      if (place !== undefined && other !== undefined && place !== other)
        throw new Error(`${String(first)} at ${place}, ${String(second)} at ${other}`)
    }),
    { seed: Number(process.env.SEED ?? 1), numRuns: 5000 }
  )
})
