import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import qs from 'qs'
import t from 'tap'
import { createHost, request } from '../support/host.js'

// Values as a client may have them: strings, lists and objects, nested no deeper than the limit of `qs` (5).
const text = fc.string({ unit: 'grapheme', maxLength: 8 })
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.oneof(text, fc.integer().map(String), fc.constantFrom('null', 'true', '', '__proto__')),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 4 })
  )
}))
const queries = fc.dictionary(text, tree, { maxKeys: 5 })
const options = fc.record({
  arrayFormat: fc.constantFrom('indices' as const, 'brackets' as const, 'repeat' as const),
  encodeValuesOnly: fc.boolean()
})

// The same texts in each run. Others: SEED=$RANDOM.
const seed = Number(process.env.SEED ?? 1)

function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
}

t.test('Query strings follow `qs`: qs.stringify(x) → request → `params.query` equals qs.parse of it', async (t) => {
  const { app, calls } = await createHost(t)
  let asked = 0
  await fc.assert(
    fc.asyncProperty(queries, options, async (query, format) => {
      // A raw `#`, a space, a quote or a line break can't stand in a URL: what is left of them is encoded, as every client does.
      const string = encodeURI(qs.stringify(query, format))
        .replaceAll('%25', '%')
        .replace(/[#']/g, (character) => (character === '#' ? '%23' : '%27'))
      let expected: unknown
      try {
        expected = qs.parse(string, { strictDepth: true })
      } catch {
        fc.pre(false)
      }
      calls.length = 0
      const { status } = await request(app, 'GET', `/things?${string}`)
      deepStrictEqual([status, calls[0]?.params.query], [200, expected], string)
      deepStrictEqual(
        leaves(expected).filter((leaf) => typeof leaf !== 'string'),
        [],
        string
      )
      asked++
    }),
    { numRuns: 500, seed }
  )
  t.equal(asked, 500)
})

t.test('any text as a query: 200 or 400, never 500, and nothing is polluted', async (t) => {
  const { app } = await createHost(t)
  const piece = fc.oneof(
    text,
    fc.constantFrom('[', ']', '[]', '&', '=', '%', '%zz', '%5B', '__proto__', '[length]', '.', ';', ',', '\0')
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
      async (string) => {
        const raw = string.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
        const { status } = await request(app, 'GET', `/things?${raw}`)
        if (status !== 200 && status !== 400) throw new Error(`${status}: ${raw}`)
      }
    ),
    { numRuns: 500, seed }
  )
  t.strictSame(Object.keys(Object.prototype), [])
})
