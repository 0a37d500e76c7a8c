import fc from 'fast-check'
import t from 'tap'
import { faultIn, foldsOf, tokensOf } from '../../lib/explorer/model/json-text.js'
import { fromInputMoment, momentHint, toInputMoment, toReadableMoment } from '../../lib/explorer/model/moments.js'
import { rangeOf, toRuleTexts } from '../../lib/explorer/model/rules.js'
import { createFollow, toField } from '../../lib/explorer/model/schema.js'

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
    [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, ['a whole number']],
    [{ format: 'email', pattern: '^.+@.+$' }, ['an e-mail address']],
    [{ format: 'other', pattern: '^[a-z]+$' }, ['like ^[a-z]+$']],
    [{ pattern: 'x'.repeat(61) }, []],
    [{ pattern: 7, format: 7, uniqueItems: 'yes' }, []]
  ]
  for (const [schema, rules] of rows)
    t.strictSame(toRuleTexts(schema as Record<string, unknown>), rules, JSON.stringify(schema))
})

t.test('what a file must be, in words', async (t) => {
  const follow = createFollow({})
  const png = { type: 'string', format: 'binary', contentMediaType: 'image/png' }
  const rows: [schema: object, rules: string[], accept: string[]][] = [
    [{ ...png, maxLength: 1_000_000 }, ['PNG, up to 1 MB'], ['image/png']],
    [{ anyOf: [png, { ...png, contentMediaType: 'image/svg+xml' }] }, ['PNG or SVG'], ['image/png', 'image/svg+xml']],
    [{ type: 'array', items: png }, ['PNG'], ['image/png']],
    [{ ...png, contentMediaType: 'application/octet-stream', maxLength: 500 }, ['up to 500 B'], []],
    [{ ...png, contentMediaType: 'image/*' }, ['IMAGE/*'], ['image/*']],
    [{ ...png, contentMediaType: 7 }, [], []]
  ]
  for (const [schema, rules, accept] of rows)
    t.match(toField('file', schema, follow), { kind: 'file', rules, accept }, JSON.stringify(schema))
})

t.test('what an input of a number takes', async (t) => {
  t.strictSame(rangeOf({ type: ['integer', 'null'], minimum: 0, maximum: 9 }), { min: 0, max: 9, step: 1 })
  t.strictSame(rangeOf({ type: 'number', multipleOf: 0.5 }), { step: 0.5 })
  t.strictSame(rangeOf({ type: ['string', 'integer'], multipleOf: 0, minimum: '1' }), {})
})

t.test('moments in the inputs of a form', async (t) => {
  for (const text of ['2030-01-31T12:00:00.000Z', '1999-12-31T23:59:59.000Z', '0099-01-01T00:00:00.000Z']) {
    const shown = toInputMoment(text, 'date-time') as string
    t.match(shown, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    t.equal(fromInputMoment(shown, 'date-time'), text)
  }
  t.equal(toInputMoment('2030-01-31', 'date'), '2030-01-31')
  t.equal(fromInputMoment('2030-01-31', 'date'), '2030-01-31')
  t.equal(toInputMoment('12:30:00.5Z', 'time'), '12:30:00')
  t.equal(fromInputMoment('12:30', 'time'), '12:30:00Z')
  t.equal(fromInputMoment('12:30:01', 'time'), '12:30:01Z')
  for (const format of ['date-time', 'date', 'time']) {
    t.equal(toInputMoment('', format), '')
    t.equal(fromInputMoment('', format), '')
    for (const odd of ['soon', '7', '12:30:00+02:00', '+275760-09-13T00:00:00Z'])
      t.equal(toInputMoment(odd, format), undefined)
  }
  t.equal(fromInputMoment('soon', 'date-time'), 'soon')
})

t.test('what a moment is, beside its input', async (t) => {
  t.strictSame(
    ['date-time', 'date', 'time'].map((format) => momentHint(format, 'Europe/Berlin')),
    ['a date with a time, here Europe/Berlin', 'a date', 'a time, in UTC']
  )
})

t.test('moments as people write them', async (t) => {
  const read = (value: unknown, format?: string) => toReadableMoment(value, format, 'en-GB', 'UTC')
  t.match(read('2030-01-31T12:00:00Z', 'date-time'), /^31 Jan 2030.*12:00$/)
  t.equal(toReadableMoment('2030-01-31', 'date', 'en-GB'), '31 Jan 2030', 'a date is that date in every time zone')
  for (const [value, format] of [
    [7, 'date'],
    ['soon', 'date'],
    ['7', 'date-time'],
    ['12:00:00Z', 'time'],
    ['2030-01-31', undefined]
  ] as const)
    t.equal(read(value, format), undefined)
})

const kindsOf = (text: string) =>
  tokensOf(text)
    .filter(({ kind }) => kind !== 'space' && kind !== 'mark')
    .map(({ kind, text }) => `${kind} ${text}`)

t.test('the parts of a text of JSON', async (t) => {
  t.strictSame(kindsOf('{ "a\\n": [1, -0.5e+3, "b", true, null] }'), [
    'key "a\\n"',
    'number 1',
    'number -0.5e+3',
    'text "b"',
    'word true',
    'word null'
  ])
  t.strictSame(kindsOf('True 01 1. "a\nnulls \\'), [
    'wrong True',
    'wrong 01',
    'wrong 1.',
    'wrong "a',
    'wrong nulls',
    'wrong \\'
  ])
})

t.test('where a text is no JSON, and why', async (t) => {
  const rows: [text: string, fault: string | undefined][] = [
    ['{ "a": [1, {}], "b": [] }', undefined],
    ['', '1:1 expected a value, but the text ends'],
    ['{ "a": 1', '1:9 expected a comma or the closing bracket, but the text ends'],
    ['{\n  "a": 1,\n}', '3:1 expected a name in double quotes, not }'],
    ['{ a: 1 }', '1:3 expected a name in double quotes or }, not a'],
    ['{ "a" 1 }', '1:7 expected a colon, not 1'],
    ['[1 2]', '1:4 expected a comma or the closing bracket, not 2'],
    ['[1}', '1:3 expected a comma or the closing bracket, not }'],
    ['[1, ]', '1:5 expected a value, not ]'],
    ['[:]', '1:2 expected a value or ], not :'],
    ['{} {}', '1:4 expected nothing more, not {'],
    ["'a'", "1:1 expected a value, not 'a'"],
    [`"${'a'.repeat(30)}`, `1:1 expected a value, not "${'a'.repeat(19)}…`]
  ]
  for (const [text, expected] of rows) {
    const fault = faultIn(text)
    t.equal(fault && `${fault.line}:${fault.column} ${fault.message}`, expected, text)
  }
})

const pieces = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"a"',
    '"',
    '\\',
    '\\u00e9',
    'true',
    'True',
    'null',
    '0',
    '-',
    '1.5',
    '1e3',
    'e',
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '\u0001',
    '\u007f',
    '\ud800'
  ]
)
const texts = fc.oneof(
  fc.json().map((text) => text),
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.tuple(fc.json(), fc.nat(), pieces).map(([text, at, piece]) => {
    const index = at % (text.length + 1)
    return text.slice(0, index) + piece + text.slice(index)
  })
)

function isJSON(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

t.test('it is JSON where JSON.parse reads it, and its parts are the text', async () => {
  fc.assert(
    fc.property(
      texts,
      (text) =>
        (faultIn(text) === undefined) === isJSON(text) &&
        tokensOf(text)
          .map((token) => token.text)
          .join('') === text
    ),
    { numRuns: 3000 }
  )
})

t.test('lines that belong to the line before', async (t) => {
  const [object, end] = foldsOf('{\n  "a": [\n    1\n  ],\n  "b": 2\n}')
  t.equal(end?.line, '}')
  t.strictSame(
    object?.inside.map(({ line, inside }) => [line.trim(), inside.length]),
    [
      ['"a": [', 1],
      ['],', 0],
      ['"b": 2', 0]
    ]
  )
})
