import fc from 'fast-check'
import t from 'tap'
import { faultIn, foldsOf, tokensOf } from '../../lib/explorer/model/json-text.js'

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
