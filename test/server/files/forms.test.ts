import { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { createPictures, text } from '../../support/file-app.js'
import { toParts } from '../../support/form.js'

const properties = {
  title: { type: 'string', maxLength: 10 },
  width: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } },
  file: { type: 'string', format: 'binary' },
  more: { type: 'array', maxItems: 2, items: { contentMediaType: 'text/plain' } }
}
const body = { type: 'object', required: ['title', 'file'], additionalProperties: false, properties }
const records = resource(body)
const file = text('hello')
const sent = { title: 'A', width: '18', file }
const got = { title: 'A', width: 18, file: 'File a.txt text/plain hello' }

for (const [row, schema] of [
  ['by hand', { create: { body }, patch: { body: { ...body, required: [] } }, publish: { body } }],
  ['of a resource', { ...records, publish: { body } }]
] as const)
  for (const attachFieldsToBody of [undefined, true, 'keyValues'])
    t.test(`a schema ${row} with files, attachFieldsToBody: ${attachFieldsToBody}`, async (t) => {
      const service = { methods: ['create', 'patch', 'publish'] }
      const { post, send } = await createPictures(t, { schema, service, plugin: { attachFieldsToBody } })
      t.strictSame(await post(sent), [201, got])
      t.strictSame(await post({ ...sent, tags: ['a', 'b'], more: file }), [
        201,
        { ...got, tags: ['a', 'b'], more: [got.file] }
      ])
      t.strictSame(await post({ title: 'B' }, { method: 'PATCH', url: '/pictures/1' }), [200, { title: 'B' }])
      const publish = toParts(['name="title"', 'A'], ['name="file"; filename="a.txt"', 'hello', 'text/plain'])
      const headers = { ...publish.headers, 'x-service-method': 'publish' }
      t.strictSame(await send({ ...publish, headers }), [200, { title: 'A', file: got.file }], 'a custom method')
      t.match(await post({ ...sent, file: [] }), [400, /file/])
      t.match(await post({ ...sent, width: 'wide' }), [400, /width must be( an)? integer/])
      t.match(await post({ ...sent, more: [file, file, file] }), [400, /more must (NOT )?have/])
      t.strictSame(await post({ ...sent, other: file }), [400, 'other can not be a file. Files are: file, more'])
      t.strictSame(await post({ ...sent, title: file }), [400, 'title can not be a file. Files are: file, more'])
      const notFile = 'must be a file, sent in a form (multipart/form-data)'
      t.strictSame(await post({ ...sent, file: 'hello' }), [400, `file ${notFile}`])
      t.strictSame(await post({ ...sent, more: [file, 'b'] }), [400, `more[0] ${notFile}`])
      t.strictSame(await post({ ...sent, file: [file, file] }), [400, 'file must be one file'])
      t.strictSame(await post({ ...sent, file: [file, 'a'] }), [400, `file ${notFile}`])
      t.strictSame(await post({ ...sent, more: text('<p>', 'a.html', 'text/html') }), [
        400,
        'more[0] must be of the type text/plain'
      ])
      const json = { title: 'A', file: 'hello' }
      t.strictSame(await send({ payload: json }), [400, `file ${notFile}`], 'JSON')
      t.strictSame(await send({ payload: [{ ...json, file: {} }] }), [400, `[0].file ${notFile}`])
      t.strictSame(await send({ payload: { ...json, more: 'a' } }), [400, `file ${notFile}`])
      t.match(await send({ payload: { title: 'A' } }), [400, /file/])
      const change = { method: 'PATCH', url: '/pictures/1' } as const
      t.strictSame(await send({ ...change, payload: { title: 'C' } }), [200, { title: 'C' }], 'JSON without a file')
    })

t.test('forms are read as urlencoded ones are', async (t) => {
  const point = { type: 'object', properties: { x: { type: 'number' } } }
  const schema = resource({ type: 'object', properties: { ...properties, point, rest: { type: 'array' } } })
  const { app, send, post } = await createPictures(t, { schema })
  const causes: unknown[] = []
  app.addHook('onError', async (_request, _reply, { cause }) => void causes.push(cause))
  t.strictSame(await post({ 'point[x]': '1.5', 'tags[]': 'a', 'more[]': file }), [
    201,
    { point: { x: 1.5 }, tags: ['a'], more: [got.file] }
  ])
  const json = 'application/json'
  const parts = toParts(
    ['name="point"', '{"x":2}', json],
    ['name="rest"', '[1]', json],
    ['name="tags"', '"a"', json],
    ['name="file"; filename=""', '', 'application/octet-stream']
  )
  t.strictSame(await send(parts), [201, { point: { x: 2 }, rest: [1], tags: ['a'] }], 'parts of JSON; no file chosen')
  t.strictSame(await send(toParts(['name="file"', 'a', 'application/octet-stream'])), [
    201,
    { file: 'File  application/octet-stream a' }
  ])
  t.strictSame(await send(toParts(['name="point"', 'null', json])), [400, 'point must be an object'])
  t.match(await send(toParts(['name="point"', '{"x"', json])), [400, /^The form can't be read: .*JSON/])
  t.match(causes.at(-1), { code: 'FST_INVALID_JSON_FIELD_ERROR' })
  t.match(await post({ 'a[b][c][d][e][f][g]': '1' }), [400, /depth/i])
})

t.test('the rules of a schema for a file', async (t) => {
  const rules = {
    any: { contentMediaType: 'application/octet-stream' },
    image: { type: 'string', contentMediaType: 'image/*' },
    sized: { type: ['string', 'null'], format: 'binary', minLength: 1, maxLength: 3 },
    either: { nullable: true, oneOf: [{ contentMediaType: 'IMAGE/png' }, { contentMediaType: 'image/jpeg' }] },
    loose: { oneOf: [{ contentMediaType: 'image/png' }, { contentMediaType: 'application/octet-stream' }] },
    defined: { $ref: '#/$defs/file' },
    list: { type: 'array', nullable: true, items: { $ref: '#/$defs/file' } },
    text: { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' }
  }
  const $defs = { file: { type: 'string', format: 'binary' } }
  const schema = { create: { body: { type: 'object', properties: rules, $defs } } }
  const { send, post } = await createPictures(t, { schema })
  const png = text('a', 'a.png', 'image/png')
  const all = { any: png, image: png, sized: png, either: png, defined: png, list: png, text: 'YQ==' }
  t.match(await post(all), [201, { image: 'File a.png image/png a', list: ['File a.png image/png a'], text: 'YQ==' }])
  t.strictSame(await post({ image: file }), [400, 'image must be of the type image/*'])
  t.match(await post({ loose: file }), [201, { loose: got.file }], 'any')
  const imaginary = text('a', 'a.png', 'imagery/png')
  t.strictSame(await post({ image: imaginary }), [400, 'image must be of the type image/*'])
  t.strictSame(await post({ either: file }), [400, 'either must be of the type image/png or image/jpeg'])
  t.strictSame(await post({ sized: text('') }), [400, 'sized must have at least 1 byte'])
  t.strictSame(await post({ sized: text('four') }), [400, 'sized must have at most 3 bytes'])
  t.match(await send({ payload: { sized: null, list: null, text: 'a' } }), [201, { sized: null, list: null }])
  t.match(await send({ payload: { any: null } }), [400, /^any must be a file/])
})

t.test('a file of zod is checked by zod too', async (t) => {
  const file = z
    .file()
    .mime(['text/plain', 'image/png'])
    .max(5)
    .refine(({ name }) => name !== 'bad.txt', 'It is bad')
  const { post } = await createPictures(t, { schema: resource(z.object({ id: z.int(), file }), { readOnly: ['id'] }) })
  t.strictSame(await post({ file: text('hello') }), [201, { file: got.file }])
  t.strictSame(await post({ file: text('hello', 'bad.txt') }), [400, 'file: It is bad'])
  t.strictSame(await post({ file: text('longer') }), [400, 'file must have at most 5 bytes'])
  t.match(await post({ file: text('a', 'a.html', 'text/html') }), [400, /^file must be of the type text\/plain or/])
})
