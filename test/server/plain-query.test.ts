import { deepStrictEqual } from 'node:assert'
import type { QueryOptions } from 'fastify-services'
import qs from 'qs'
import t from 'tap'
import { createParser, createPlainParser } from '../../lib/server/request/query.js'
import { createTexts } from '../support/query-texts.js'

// The same texts each time. Others, and more: SEED=$RANDOM RUNS=100000.
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 20_000)

const limits: QueryOptions[] = [
  ...[1000, 2, 1, 0, -1].map((arrayLimit) => ({ arrayLimit })),
  ...[10, 1, 0].map((depth) => ({ depth })),
  { parameterLimit: 50, comma: undefined } as object
]
const others: QueryOptions[] = [
  ...[{ depth: Number.NaN }, { depth: 2.5 }, { arrayLimit: 2.5 }, { comma: true }, { allowDots: true }],
  ...[{ strictNullHandling: true }, { allowEmptyArrays: true }],
  ...([{ arrayLimit: '2' }, { delimiter: ';' }, { duplicates: 'last' }, { parseArrays: false }] as object[])
]

/** What `qs` gives, or the message of its error. */
function parse(text: string, options: QueryOptions): unknown {
  const fixed = { strictDepth: true, plainObjects: false, allowPrototypes: false }
  try {
    return qs.parse(text, { parameterLimit: 1000, ...options, ...fixed })
  } catch (error) {
    return (error as Error).message
  }
}

t.test(`the result is that of qs, for ${runs} texts and all options`, async (t) => {
  t.setTimeout(0)
  const all = [{}, ...limits, ...others].map((options) => ({
    options,
    parsePlain: createPlainParser(options),
    parseAny: createParser(options)
  }))
  const createText = createTexts(seed)
  let taken = 0
  for (let i = 0; i < runs; i++) {
    const text = createText()
    // Every second one without options.
    const { options, parsePlain, parseAny } = all[i % 2 === 0 ? 0 : (i >> 1) % all.length] as (typeof all)[0]
    const expected = parse(text, options)
    const [result, any] = [parsePlain(text), parseAny(text)]
    deepStrictEqual(any instanceof Error ? any.message : any, expected, text)
    if (result === undefined) continue
    deepStrictEqual(result, expected, text)
    // The order of the names too.
    deepStrictEqual(JSON.stringify(result), JSON.stringify(expected), text)
    taken++
  }
  t.ok(taken > runs / 5, `${taken} of them are plain`)
})

t.test('it takes what clients send: as URLSearchParams, qs and people write it', async (t) => {
  const parsePlain = createPlainParser({})
  for (const [text, expected] of [
    ['a=1&b=', { a: '1', b: '' }],
    ['$limit=10&$skip=20', { $limit: '10', $skip: '20' }],
    ['age[$gt]=1&age[$lte]=5', { age: { $gt: '1', $lte: '5' } }],
    ['status%5B%24ne%5D=done&%24limit=10', { status: { $ne: 'done' }, $limit: '10' }],
    ['$sort[a]=-1&$sort[b]=1', { $sort: { a: '-1', b: '1' } }],
    ['$or[0][a]=1&$or[0][b]=2&$or[1][c][$in][]=3', { $or: [{ a: '1', b: '2' }, { c: { $in: ['3'] } }] }],
    ['$select[]=a&$select[]=b', { $select: ['a', 'b'] }],
    ['$select[0]=a&$select[1]=b', { $select: ['a', 'b'] }],
    ['text=a+b%20c%26%2B&a+b=1', { text: 'a b c&+', 'a b': '1' }]
  ] as const)
    t.strictSame(parsePlain(text), expected, text)
  t.strictSame(parsePlain('a[b][c][d][e][f]=1'), { a: { b: { c: { d: { e: { f: '1' } } } } } }, 'as deep as qs')
  for (const options of limits) t.strictSame(createPlainParser(options)('a=1'), { a: '1' }, JSON.stringify(options))
})

t.test('it leaves the rest to qs', async (t) => {
  const parsePlain = createPlainParser({})
  const list = (count: number) => Array(count).fill('a[]=1').join('&')
  t.strictSame(parsePlain(list(20)), { a: Array(20).fill('1') })
  const texts = [
    '=1 []=1 a[20]=1 a[1]=1 a[01]=1 a=1&a=2 a=1&a[b]=1 a[b]=1&a=1 a[b]=1&a[0]=1 a[0]=1&a[b]=1 a[]=1&b=1&a[]=2 a[][b]=1',
    'a[b][c][d][e][f][g]=1 toString=1 a[__proto__]=1 a =1 a=1& &a=1 a=b=c a[b=1 a]=1 a=%zz %zz=1 ab ab&c=1 c=1&ab'
  ]
  for (const text of [list(21), '', ...texts.join(' ').split(' ')]) t.equal(parsePlain(text), undefined, text)
  for (const options of others) t.equal(createPlainParser(options)('a=1'), undefined, JSON.stringify(options))
})

t.test('however many names it is sent, it reads them all', async (t) => {
  const parsePlain = createPlainParser({})
  const parsed = Array.from({ length: 1200 }, (_, i) => parsePlain(`name${i}[$gt]=${i}`))
  t.strictSame(
    parsed,
    Array.from({ length: 1200 }, (_, i) => ({ [`name${i}`]: { $gt: `${i}` } }))
  )
  t.equal(parsePlain(`${'a'.repeat(101)}=1`), undefined, 'a long name is not kept')
})
