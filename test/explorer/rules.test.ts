import t from 'tap'
import { rangeOf, toRuleTexts } from '../../lib/explorer/model/rules.js'

t.test('what a value must be, in words', async (t) => {
  const rows: [schema: object, rules: string[]][] = [
    [{}, []],
    [{ minLength: 8, maxLength: 1024 }, ['8 to 1024 characters']],
    [{ minLength: 3, maxLength: 3 }, ['3 characters']],
    [{ minLength: 1 }, []],
    [{ minLength: 0 }, []],
    [{ minimum: 0 }, ['at least 0']],
    [{ minLength: 0, maxLength: 1 }, ['at most 1 character']],
    [{ minLength: 2 }, ['at least 2 characters']],
    [{ minLength: '2', maxLength: Number.POSITIVE_INFINITY }, []],
    [{ type: 'integer', minimum: 0, maximum: 10 }, ['a whole number', '0 to 10']],
    [{ minimum: -1 }, ['at least -1']],
    [{ maximum: 1 }, ['at most 1']],
    [
      { exclusiveMinimum: 0, exclusiveMaximum: 9, multipleOf: 0.5 },
      ['more than 0', 'less than 9', 'a multiple of 0.5']
    ],
    [{ minItems: 1, maxItems: 5, uniqueItems: true }, ['1 to 5 items', 'no item twice']],
    [{ minItems: 0, maxItems: 1 }, ['at most 1 item']],
    [{ format: 'email', pattern: '^.+@.+$' }, ['an e-mail address']],
    [{ format: 'other', pattern: '^[a-z]+$' }, ['like ^[a-z]+$']],
    [{ pattern: 'x'.repeat(61) }, []],
    [{ pattern: 7, format: 7, uniqueItems: 'yes' }, []]
  ]
  for (const [schema, rules] of rows)
    t.strictSame(toRuleTexts(schema as Record<string, unknown>), rules, JSON.stringify(schema))
})

t.test('what an input of a number takes', async (t) => {
  t.strictSame(rangeOf({ type: ['integer', 'null'], minimum: 0, maximum: 9 }), { min: 0, max: 9, step: 1 })
  t.strictSame(rangeOf({ type: 'number', multipleOf: 0.5 }), { step: 0.5 })
  t.strictSame(rangeOf({ type: ['string', 'integer'], multipleOf: 0, minimum: '1' }), {})
})
