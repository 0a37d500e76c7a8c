import t from 'tap'
import { parseInput, toData, toFieldText, toForm } from '../../lib/explorer/model/data.js'
import { toValue } from '../../lib/explorer/model/query.js'
import { createFollow, toField } from '../../lib/explorer/model/schema.js'
import { isKept } from '../support/kept.js'
import { toPlain } from './plain.js'

const follow = createFollow({})
const [file, text, number] = [{ type: 'string', format: 'binary' }, { type: 'string' }, { type: 'integer' }]
// biome-ignore format: a table
const kinds = {
  ...{
    text, 'text or null': { type: ['string', 'null'] }, number, 'number or null': { type: ['integer', 'null'] },
    boolean: { type: 'boolean' }
  },
  ...{
    choice: { enum: [1, '1', 'a', true, 1.5] }, 'choice or null': { enum: ['b', null] }, json: {}, 'json or null': { type: ['array', 'null'] },
    file
  }
}
// biome-ignore format: a table
const typed = ['', ' ', 'a', 'b', '5', ' 5 ', 'true', 'false', 'True', 'truer', 'untrue', 'falsely', 'null', '1', '[1]', '"a"', '{"__proto__":1}', '{', '1.5']
// biome-ignore format: a table
const numbers = [
  ...[
    '123456789012345e10', '123456789012345E-10', '1234567890123456e-1', '0E5', '-0E5', '1E-999',
    '0', '-0', '1', '-1', '+1', '01', '1.', '.5', '1.0', '1.50', '-1.5', '1e3', '1E3', '1e+3', '1e-3', '1e', '1e999', '-1e999', '1e-999',
    '0e-999'
  ],
  ...['0.0', '-0.0', '00', '0x10', '1_000', '1,5', 'Infinity', 'NaN', '', ' ', '\t7\n', '7 7', '1e21', '1e22', '100000000000000000000'],
  ...[
    '123456789012345', '1234567890123456', '9007199254740991', '9007199254740992', '9007199254740993', '0.1234567890123456',
    '0.12345678901234'
  ],
  ...[
    '12345678901234.5', '123456789012345.6', '1.10', '0.10e2', '0e5', '-0e5', '0.00e5', '0.0000001', '1e-400', '0.1e-400', '1.5e300', '١'
  ],
  ...[
    '100000000000000', '1000000000000000', '1000000000000000e1', '1.000000000000000', '1.00000000000000e5', '-123456789012345', '1e5x',
    'x1'
  ]
]

t.test('what is typed, as data', async (t) => {
  const fields = Object.entries(kinds).map(([name, schema]) => toField(name, schema, follow))
  // biome-ignore format: a table
  const before = [...[undefined, null, '', 'a', 5, '5', true, 'true', [1], 'x', { a: 1 }]]
  const dataOf = (entries: Parameters<typeof toData>[0]) =>
    [false, true]
      .map((isChange) => {
        const { data, problems } = toData(entries, isChange)
        return toPlain([data, ...[...problems].map(([name, problem]) => [name, problem.replace(/(: ).*/s, '$1…')])])
      })
      .filter((read, index, [first]) => index === 0 || JSON.stringify(read) !== JSON.stringify(first))
  const entries = (name: string, text: string, initial = '', value?: unknown) => {
    const field = fields.find((one) => one.name === name) ?? toField(name, {}, follow)
    return { field, text, initial, ...(value !== undefined && { value }) }
  }
  const upload = new File(['abc'], 'a.txt', { type: 'text/plain' })
  const forms = [
    ...[[], [entries('text', 'a'), entries('number', ''), entries('json', '[1]')]],
    ...[
      ['', 'C:\\a.txt'].map((text) => ({ ...entries('file', text), files: [upload, new File([], 'b')] })),
      [entries('file', 'x')]
    ],
    [
      { ...entries('text', 'a'), files: [upload] },
      { ...entries('text', ''), files: [] }
    ]
  ]
  isKept(
    t,
    {
      texts: [...before, false, 0, [], {}].map((value) =>
        [
          value,
          toFieldText(value),
          toFieldText(value, 'json'),
          toFieldText(value, 'text'),
          toFieldText(value, 'number')
        ].map(toPlain)
      ),
      // Those that are not the text as it was typed.
      values: fields.map((field) => [
        field.name,
        ...typed.map((text) => [text, toValue(text, field)]).filter(([text, value]) => text !== value)
      ]),
      numbers: numbers.map((text) => [text, toPlain(toValue(text, toField('n', number, follow)))]),
      typed: fields.map(({ name }) => [
        name,
        ['', 'a', '5', 'true', 'null', '{'].map((text) => [text, ...dataOf([entries(name, text)])])
      ]),
      changed: fields.map(({ name }) => [
        name,
        ['', 'a', '5', '[1]', '{', 'null'].map((text) => [text, ...dataOf([entries(name, text, 'before', 'old')])])
      ]),
      several: [
        dataOf([
          entries('b', '1'),
          entries('a', '{'),
          entries('b', '2'),
          entries('__proto__', '3'),
          entries('json', '[')
        ]),
        dataOf([]),
        dataOf([
          entries('text', 'a', 'a'),
          entries('number', '5', '5'),
          entries('json', '{', '{'),
          entries('choice', '1', '1')
        ]),
        toData([entries('text', 'a', 'a', 'a'), entries('number', '')]).data
      ],
      forms: forms.map((one) => toPlain(toForm(one))),
      parsed: ['1', '', '{', '"a"', 'null', 'undefined', '[1,]'].map((text) => {
        const { problem, ...rest } = parseInput(text)
        return [text, rest, toPlain(problem?.replace(/(: ).*/s, '$1…'))]
      })
    },
    'test/explorer/whole-data.txt'
  )
})
