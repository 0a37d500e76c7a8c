import t from 'tap'
import { read } from '../../package/sources.js'
import { evaluate } from './evaluation.js'
import { References, type Schema } from './references.js'

/** A schema of the JSON Schema Test Suite, with values that fit it or do not, or with what is known of the places of values. */
interface Group {
  readonly file: string
  readonly group: string
  readonly schema: Schema
  readonly tests?: readonly [name: string, value: unknown, isValid: boolean][]
  readonly annotations?: readonly [value: unknown, place: string, keyword: string, expected: Record<string, unknown>][]
}

// The first line says where the others are from.
const [, ...groups] = read('test/server/resource/json-schema-test-suite.jsonl')
  .trim()
  .split('\n')
  .map((line): Group => JSON.parse(line))

t.test('the evaluator of the search says what the JSON Schema Test Suite says', async (t) => {
  for (const { file, group, schema, tests = [] } of groups)
    for (const [name, value, isValid] of tests)
      t.equal(evaluate(schema, value, new References(schema)).isValid, isValid, `${file}: ${group}: ${name}`)
})

t.test('and finds the annotations that it names, at their places', async (t) => {
  for (const { file, group, schema, annotations = [] } of groups)
    for (const [value, place, keyword, expected] of annotations) {
      const { applied } = evaluate(schema, value, new References(schema))
      const flags = applied.filter(([at, part]) => at === place && part[keyword] !== undefined)
      t.same(new Set(flags.map(([, part]) => part[keyword])), new Set(Object.values(expected)), `${file}: ${group}`)
    }
})
