import { resource } from 'fastify-services'
import t from 'tap'
import { toForm } from '../../support/form.js'
import { isKept } from '../../support/kept.js'
import { createAsk, grouped, type Told } from './whole.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const file = { type: 'string', format: 'binary' }
const png = { type: 'string', contentMediaType: 'image/png' }
const gif = { type: 'string', contentMediaType: 'IMAGE/Gif' }
const nothing = { type: 'null' }

/** What a schema may say of a file. */
const fields: Readonly<Record<string, object>> = {
  file,
  png,
  anyImage: { type: 'string', contentMediaType: 'image/*' },
  gif,
  two: { anyOf: [png, gif] },
  twoOrOne: { oneOf: [png, { ...gif, contentMediaType: 'text/plain' }] },
  any: { ...file, contentMediaType: '*/*' },
  bytes: { ...file, contentMediaType: 'application/octet-stream' },
  anyOfAny: { anyOf: [png, { ...png, contentMediaType: '*/*' }] },
  binary: { ...png, contentEncoding: 'binary' },
  base64: { ...png, contentEncoding: 'base64' },
  least0: { ...file, minLength: 0 },
  least1: { ...file, minLength: 1 },
  least3: { ...file, minLength: 3 },
  most0: { ...file, maxLength: 0 },
  most1: { ...file, maxLength: 1 },
  most3: { ...file, maxLength: 3 },
  nullable: { ...file, nullable: true },
  maybe: { anyOf: [{ ...file, maxLength: 3 }, nothing] },
  many: { type: 'array', items: png, minItems: 1, maxItems: 2 },
  manyOrNull: { type: 'array', items: file, nullable: true },
  manySmall: { type: 'array', items: { ...file, maxLength: 2 } },
  ref: { $ref: '#/$defs/png' },
  refs: { type: 'array', items: { $ref: '#/$defs/png' } },
  branch: { anyOf: [{ $ref: '#/$defs/png' }, nothing] },
  textOrFile: { anyOf: [{ type: 'integer' }, png] },
  described: { ...file, description: 'D', title: 'T' }
}
const schema = resource(
  object(
    { ...fields, title: { type: 'string', maxLength: 3 }, count: { type: 'integer' } },
    { $defs: { png }, allOf: [true, {}] }
  )
)
const of = (type: string, size = 2, name = 'a.b') => new File(['x'.repeat(size)], name, { type })
const kinds = ['image/png', 'image/gif', 'images/png', 'text/plain']

t.test('files of each kind, in forms and in JSON', async (t) => {
  const ask = await createAsk(t, {
    files: schema,
    needed: resource(object({ file, title: { type: 'string' } }, { required: ['file'] }))
  })
  const short = ([status, ...rest]: Told) => (status === 204 ? rest[0] : rest)
  const post = async (fields: Parameters<typeof toForm>[0], url = '/files') =>
    short(await ask({ method: 'POST', url, ...(await toForm(fields)) }))
  const json = async (payload: object, url = '/files') => short(await ask({ method: 'POST', url, payload }))
  const table: Record<string, Record<string, unknown>> = {}
  for (const name of Object.keys(fields)) {
    const byName: Record<string, unknown> = {}
    for (const type of kinds) byName[type] = await post({ [name]: of(type) })
    const type = /^(png|anyImage|two|binary|many|ref|refs|branch|textOrFile)/.test(name) ? 'image/png' : 'image/gif'
    for (const size of /least|most|maybe|Small/.test(name) ? [0, 1, 2, 3, 4] : [])
      byName[`of ${size}`] = await post({ [name]: of(type, size) })
    byName['two of them'] = await post({ [name]: [of(type), of(type, 1, 'c')] })
    byName['three of them'] = await post({ [name]: [of(type), of(type, 1, 'c'), of(type)] })
    byName['one of two is wrong'] = await post({ [name]: [of(type), of('text/plain', 4, 'c')] })
    byName['in a list'] = await post({ [`${name}[]`]: [of(type)] })
    byName['a text'] = await post({ [name]: 'x' })
    for (const value of ['x', null, 1, [], ['x'], [null], {}])
      byName[`JSON ${JSON.stringify(value)}`] = await json({ [name]: value })
    table[name] = grouped(byName, Array.isArray)
  }
  const batches = [
    [{ title: 'a' }, { file: 'x' }],
    [{ many: ['x'] }, { file: 'x' }],
    [{ title: 'a' }, { title: 'b', many: ['x'] }],
    [{ file: null }],
    [{ title: 'a' }, { nullable: null }],
    [],
    [{ title: 'abcd' }]
  ]
  table.others = {
    'a title': await post({ title: 'abc', file: of('image/png') }),
    'a long title': await post({ title: 'abcd', file: of('image/png') }),
    'both are wrong': await post({ title: 'abcd', png: of('text/plain') }),
    'a number': await post({ count: '5', file: of('image/png') }),
    'no number': await post({ count: 'x', file: of('image/png') }),
    'a file that is not known': await post({ other: of('image/png') }),
    'a file for a text': await post({ title: of('image/png') }),
    ...Object.fromEntries(await Promise.all(batches.map(async (batch) => [JSON.stringify(batch), await json(batch)]))),
    'what is needed': await post({ file: of('image/png') }, '/needed'),
    'what is needed is not there': await post({ title: 'x' }, '/needed'),
    'nor in JSON': await json({ title: 'x' }, '/needed')
  }
  isKept(t, table, 'test/server/resource/whole-files.txt')
})
