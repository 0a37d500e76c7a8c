import t from 'tap'
import { type Entry, parseInput, toData, toFieldText, toForm } from '../../lib/explorer/model/data.js'
import { createFollow, toField } from '../../lib/explorer/model/schema.js'

const follow = createFollow({})
const schemas: Record<string, object> = {
  title: { type: 'string' },
  note: { type: ['string', 'null'] },
  words: { type: 'integer' },
  isOpen: { type: 'boolean' },
  tags: { type: 'array' },
  either: { type: ['string', 'integer'] },
  __proto__: {}
}
const entry = (name: string, text: string, initial = ''): Entry => ({
  field: toField(name, schemas[name], follow),
  text,
  initial
})
const dataOf = (isChange: boolean, ...entries: Entry[]) => JSON.stringify(toData(entries, isChange).data)

t.test('what is filled in is sent', async (t) => {
  const filled = [
    entry('title', '5'),
    entry('words', '5'),
    entry('isOpen', 'false'),
    entry('tags', '["a"]'),
    entry('note', '')
  ]
  t.equal(dataOf(false, ...filled), '{"title":"5","words":5,"isOpen":false,"tags":["a"]}')
  t.equal(dataOf(false, entry('__proto__', '{"a":1}')), '{"__proto__":{"a":1}}')
})

t.test('a change sends what is another text than before', async (t) => {
  t.equal(dataOf(true, entry('title', 'a', 'a'), entry('words', '6', '5')), '{"words":6}')
  t.equal(dataOf(false, entry('title', 'a', 'a')), '{"title":"a"}', 'a replacement sends all')
  const emptied = [entry('title', '', 'a'), entry('note', '', 'a'), entry('words', '', '5'), entry('tags', '', '[]')]
  t.equal(dataOf(true, ...emptied), '{"title":"","note":null}', 'an emptied number is none')
})

t.test('what is no JSON is named with its field', async (t) => {
  const { problems } = toData([entry('tags', '[1'), entry('title', '[1')])
  t.strictSame([...problems.keys()], ['tags'])
  t.match(problems.get('tags'), /^This is not JSON: ./)
  t.strictSame(parseInput('[1]'), { value: [1] })
})

t.test('values as a form shows them', async (t) => {
  const texts = [undefined, null, 'a', 5, false, ['a'], {}].map((value) => toFieldText(value))
  t.strictSame(texts, ['', '', 'a', '5', 'false', '[\n  "a"\n]', '{}'])
})

t.test('what nobody touched stays what it was', async (t) => {
  const values: [name: string, value: unknown][] = [
    ['title', ''],
    ['note', null],
    ['words', null],
    ['either', '12'],
    ['either', 'abc'],
    ['either', null],
    ['title', 'a\r\nb'],
    ['title', 7],
    ['words', '5'],
    ['isOpen', 'true']
  ]
  for (const [name, value] of values) {
    const field = toField(name, schemas[name], follow)
    // What an input makes of a text.
    const text = toFieldText(value, field.kind).replaceAll('\r\n', '\n')
    const untouched = { field, text, initial: text, value }
    t.strictSame(toData([untouched]).data, { [name]: value }, `${name} is ${JSON.stringify(value)}`)
    t.strictSame(toData([untouched], true).data, {}, 'a change sends nothing of it')
  }
  const either = toField('either', schemas.either, follow)
  const [initial, text] = [toFieldText('abc', either.kind), toFieldText('12', either.kind)]
  t.strictSame(toData([{ field: either, text, initial, value: 'abc' }], true).data, { either: '12' })
})

t.test('a form with files', async (t) => {
  const file = new File(['abc'], 'a.txt', { type: 'text/plain' })
  const binary = toField('file', { type: 'string', format: 'binary' }, follow)
  const form = toForm([
    { field: binary, text: 'C:\\fakepath\\a.txt', initial: '', files: [file] },
    entry('title', 'A'),
    entry('note', '')
  ])
  const fields = [...form].map(([name, value]) => [name, value instanceof File ? value.name : value])
  t.strictSame(fields, [
    ['file', 'a.txt'],
    ['title', 'A']
  ])
})
