import fc from 'fast-check'
import qs from 'qs'
import t from 'tap'
import { findVanishing, stringify } from '../../lib/client/query.js'

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.bigInt(), fc.date({ noInvalidDate: true })),
    fc.constantFrom(null, undefined, Number.NaN, '', ' ', "!'()*~-._", '\uD800', '😀', '&=?#[]'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 4 })
  )
}))

// The same queries in each run. Others: SEED=$RANDOM.
t.test('the query string is byte for byte what `qs.stringify` prints', async (t) => {
  const queries = fc.dictionary(fc.string({ unit: 'binary' }), value, { maxKeys: 5 })
  fc.assert(
    fc.property(queries, (query) => {
      const [ours, theirs] = [stringify(query), qs.stringify(query)]
      if (ours !== theirs) throw new Error(`${ours} !== ${theirs}`)
    }),
    { numRuns: 2000, seed: Number(process.env.SEED ?? 1) }
  )
  t.pass('2,000 queries')
})

t.test('rows of the specification', async (t) => {
  const rows: [object, string][] = [
    [{ name: 'a b' }, 'name=a%20b'],
    [{ $limit: 5, $sort: { at: -1 } }, '%24limit=5&%24sort%5Bat%5D=-1'],
    [{ $select: ['id', 'text'] }, '%24select%5B0%5D=id&%24select%5B1%5D=text'],
    [{ at: { $lt: new Date(0) } }, 'at%5B%24lt%5D=1970-01-01T00%3A00%3A00.000Z'],
    [{ a: null }, 'a='],
    [{}, '']
  ]
  for (const [query, expected] of rows) t.equal(stringify(query), expected)
  t.throws(() => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    stringify(cycle)
  }, RangeError)
})

t.test('`$in: []`, `undefined`, nested empty values vanish; `null` and a date do not', async (t) => {
  const vanishing = [
    { id: { $in: [] } },
    { id: undefined },
    { id: 1, $or: [{ a: 1 }, {}] },
    { a: { b: { c: undefined } } },
    { list: [1, undefined] },
    { f: () => 1 }
  ]
  for (const query of vanishing) t.type(findVanishing(query), 'string', JSON.stringify(query))
  const kept = [{}, { a: null }, { a: '' }, { at: new Date() }, { a: { $in: [1, 'b', false, 0n] } }]
  for (const query of kept) t.equal(findVanishing(query), undefined)
})
