import t from 'tap'
import {
  type Entry,
  parseInput,
  toData,
  toFieldText,
  toForm,
  toVariantLabel,
  variantOf
} from '../../lib/explorer/model/data.js'
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

t.test('each kind of field has its input, and what fits none is JSON', async (t) => {
  const kinds: [object, string][] = [
    [{ type: 'string' }, 'text'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'string', format: 'date-time' }, 'moment'],
    [{ type: 'number' }, 'number'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['a', 'b'] }, 'choice'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
    [{ type: 'array' }, 'json'],
    [{ type: 'object' }, 'json'],
    [{ type: ['string', 'integer'] }, 'json'],
    [{ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: {} } }] }, 'json'],
    [{}, 'json']
  ]
  for (const [schema, kind] of kinds) {
    const field = toField('a', schema, follow)
    t.equal(field.kind, kind, JSON.stringify(schema))
    t.strictSame(field.variants(), [])
  }
})

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

t.test('an input that is not complete is named, and nothing of it is sent', async (t) => {
  const { data, problems } = toData([{ ...entry('words', ''), problem: 'Not a number.' }])
  t.strictSame([data, [...problems]], [{}, [['words', 'Not a number.']]])
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

const shop = toField(
  'shop',
  {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      size: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      counts: { type: 'array', items: { type: 'integer' } }
    }
  },
  follow
)
const [parts = []] = shop.variants()
const part = (name: string, more: Partial<Entry>): Entry => ({
  field: parts.find((field) => field.name === name) as Entry['field'],
  text: '',
  initial: '',
  ...more
})
const shopEntry = (inside: Entry['inside'], more: Partial<Entry> = {}): Entry => ({
  field: shop,
  text: '',
  initial: '',
  inside,
  ...more
})
const item = (list: string, text: string, value?: unknown): Entry => ({
  field: part(list, {}).field.item as Entry['field'],
  text,
  initial: value === undefined ? '' : String(value),
  ...(value !== undefined && { value })
})

t.test('objects and lists are read with what is in them', async (t) => {
  const filled = shopEntry([
    part('name', { text: 'Tea' }),
    part('size', {}),
    part('tags', { inside: [item('tags', 'a'), item('tags', '')] })
  ])
  t.strictSame(toData([filled]), { data: { shop: { name: 'Tea', tags: ['a', ''] } }, problems: new Map() })
  t.strictSame(toData([shopEntry(undefined)]).data, {}, 'an object that is not there')
  t.strictSame(toData([shopEntry([])]).data, { shop: {} }, 'an object that is there, with nothing in it')
  const { problems } = toData([shopEntry([part('counts', { inside: [item('counts', '1'), item('counts', '')] })])])
  t.strictSame([...problems], [['shop.counts.1', 'Fill this in, or remove it.']])
})

t.test('a change sends an object whole, if anything in it has changed', async (t) => {
  const value = { name: 'Tea', extra: true, size: 3, tags: ['a'] }
  const inside = (name: string, tags: readonly Entry[]) => [
    part('name', { text: name, initial: 'Tea', value: 'Tea' }),
    part('size', { text: '', initial: '3', value: 3 }),
    part('tags', { value: ['a'], inside: tags })
  ]
  const sent = toData([shopEntry(inside('Coffee', [item('tags', 'a', 'a'), item('tags', 'b')]), { value })], true).data
  t.strictSame(sent, { shop: { name: 'Coffee', extra: true, tags: ['a', 'b'] } }, 'with what the schema does not name')
  const same = [part('name', { text: 'Tea', initial: 'Tea', value: 'Tea' })]
  t.strictSame(toData([shopEntry(same, { value: { name: 'Tea', extra: true } })], true).data, {})
  t.strictSame(toData([shopEntry(same, { value: { name: 'Tea', extra: true } })]).data, {
    shop: { name: 'Tea', extra: true }
  })
})

t.test('what is gone is null where it may be', async (t) => {
  const nullable = { ...shop, isNullable: true }
  const gone = { text: '', initial: '', inside: undefined }
  t.strictSame(toData([{ ...gone, field: nullable, value: { name: 'Tea' } }], true).data, { shop: null })
  t.strictSame(toData([{ ...gone, field: shop, value: { name: 'Tea' } }], true).data, {})
  t.strictSame(toData([{ ...gone, field: nullable, value: null }], true).data, {}, 'it was null before')
  t.strictSame(toData([{ ...gone, field: shop, value: null }]).data, { shop: null })
  const list = (more: Partial<Entry>, isRequired = false) =>
    toData([{ ...part('tags', more), field: { ...part('tags', {}).field, isRequired } }]).data
  t.strictSame(
    [list({}), list({}, true), list({ value: null }), list({ value: ['a'] })],
    [{}, { tags: [] }, { tags: null }, { tags: [] }]
  )
})

t.test('which of several kinds of objects a value is', async (t) => {
  const kind = (name: string, more: object = {}) => ({
    type: 'object',
    required: ['kind', ...Object.keys(more)],
    properties: { kind: { const: name }, ...more }
  })
  const union = toField(
    'fee',
    { anyOf: [kind('free'), kind('paid', { price: { type: 'number' } }), kind('paid')] },
    follow
  )
  const variants = union.variants()
  t.equal(union.kind, 'union')
  t.strictSame(variants.map(toVariantLabel), ['free', 'paid', 'paid'])
  t.equal(toVariantLabel(parts), 'name, size, tags, counts')
  const values = [{ kind: 'free' }, { kind: 'paid', price: 1 }, { kind: 'paid' }, { kind: 'other' }, {}, null, 'free']
  t.strictSame(
    values.map((value) => variantOf(variants, value)),
    [0, 1, 2, 0, 0, 0, 0]
  )
  t.equal(variantOf(variants.slice(0, 2), { kind: 'paid' }), 1, 'what is missing may still come')
})

t.test('objects in a form with files are JSON', async (t) => {
  const form = toForm([shopEntry([part('name', { text: 'Tea' })]), part('tags', { inside: [item('tags', 'a')] })])
  t.strictSame(
    [...form],
    [
      ['shop', '{"name":"Tea"}'],
      ['tags', '["a"]']
    ]
  )
})
