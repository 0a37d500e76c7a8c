import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { resource, type ServiceOptions } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { describeFiles } from '../../support/file-app.js'
import { toParts } from '../../support/form.js'
import { isKept } from '../../support/kept.js'

type Part = Parameters<typeof toParts>[0]

const properties = {
  title: { type: 'string' },
  width: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } },
  point: { type: 'object', properties: { x: { type: 'number' } } },
  file: { type: 'string', format: 'binary' },
  more: { type: 'array', items: { contentMediaType: 'text/plain' } }
}
const body = { type: 'object', properties }
const json = 'application/json'
const text = (name: string, value = 'a'): Part => [`name="${name}"`, value]
const file = (name: string, content = 'hello', filename = 'a.txt', type = 'text/plain'): Part => [
  `name="${name}"; filename="${filename}"`,
  content,
  type
]

/** Forms by the parts that they have. */
const forms: Record<string, Part[]> = {
  nothing: [],
  'a text': [text('title')],
  'a text twice': [text('title'), text('title', 'b')],
  'a list, by brackets': [text('tags[]', 'a'), text('tags[]', 'b')],
  'a list of one': [text('tags[]', 'a')],
  'a list by name': [text('tags', 'a'), text('tags', 'b')],
  'nested texts': [text('point[x]', '1.5'), text('title', 'a&b=c+d %')],
  'an empty text': [text('title', '')],
  'a text too deep': [text('a[b][c][d][e][f][g]', '1')],
  'an empty name': [text(''), text('title')],
  'a name of Object.prototype within another': [text('point[toString]', '1'), text('title')],
  'a name of Object.prototype': [text('__proto__[a]', '1'), text('title')],
  'a file': [file('file')],
  'a file of no type': [['name="file"; filename="a.txt"', 'hello']],
  'a file of no name': [file('file', 'hello', '')],
  'an empty file of no name': [file('file', '', '')],
  'an empty file': [file('file', '')],
  'a file of another type': [file('more', 'hello', 'a.html', 'text/html')],
  'a file and a text': [file('file'), text('title'), text('width', '18')],
  'a text, then a file of one name': [text('file'), file('file')],
  'a file, then a text of one name': [file('file'), text('file')],
  'two files': [file('file', '1'), file('file', '2')],
  'one file of a list': [file('more')],
  'one file of a list, by brackets': [file('more[]')],
  'files of a list': [file('more', '1', '1.txt'), file('more[]', '2', '2.txt'), file('more', '3', '3.txt')],
  'no file of a list': [file('more', '', '')],
  'a text of a list of files': [text('more'), file('more')],
  'texts of a list of files': [text('more', 'a'), text('more', 'b'), file('more'), file('more', '2', '2.txt')],
  'a file that is not known': [file('other')],
  'a file that is a text': [text('width', '1'), file('title')],
  'two that are not known': [file('title'), file('other'), file('file')],
  'a file not known after one that is': [file('file'), file('other[]')],
  'brackets within': [file('more[a]')],
  'brackets twice': [file('more[][]')],
  'JSON for an object': [['name="point"', '{"x":2}', json]],
  'JSON for a list': [['name="tags"', '["a"]', json], text('tags', 'b')],
  'JSON for a text': [['name="title"', '"a"', json]],
  'JSON for a number, twice': [
    ['name="width"', '1', json],
    ['name="width"', '2', json]
  ],
  'JSON for one that is texts': [text('title', 'a'), ['name="title"', '"b"', json]],
  'null as JSON': [['name="point"', 'null', json]],
  'no JSON': [['name="point"', '{"x"', json]],
  'no JSON, and a file not known': [file('other'), ['name="point"', '{"x"', json]],
  'a name with a quote': [['name="a%22b"', 'c']],
  'no name': [['filename="a.txt"', 'c', 'text/plain']]
}

const limits: Record<string, [service: ServiceOptions, forms: (keyof typeof forms)[]]> = {
  'fileSize 5': [{ config: { multipartOptions: { limits: { fileSize: 5 } } } }, ['a file']],
  'fileSize 4': [
    { config: { multipartOptions: { limits: { fileSize: 4 } } } },
    ['a file', 'files of a list', 'two files', 'a file not known after one that is', 'two that are not known']
  ],
  'fileSize 4, silent': [
    { config: { multipartOptions: { limits: { fileSize: 4 }, throwFileSizeLimit: false } } },
    ['a file']
  ],
  'fieldSize 1': [
    { config: { multipartOptions: { limits: { fieldSize: 1 } } } },
    ['a text', 'nested texts', 'a file and a text']
  ],
  'fieldSize 0, a file not known first': [
    { config: { multipartOptions: { limits: { fieldSize: 1 } } } },
    ['a file that is a text']
  ],
  'files 1': [
    { config: { multipartOptions: { limits: { files: 1 } } } },
    ['a file', 'two files', 'two that are not known']
  ],
  'fields 1': [{ config: { multipartOptions: { limits: { fields: 1 } } } }, ['a text', 'a text twice']],
  'parts 2': [{ config: { multipartOptions: { limits: { parts: 2 } } } }, ['two files', 'files of a list']],
  'bodyLimit 200': [{ bodyLimit: 200 }, ['a text', 'a file and a text']]
}

async function create(t: { teardown: (end: () => unknown) => unknown }) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(multipart)
  await app.register(services, { errorHandler: { html: false, logger: false } })
  return app
}

function add(app: FastifyInstance, path: string, schema: unknown, options: ServiceOptions = {}) {
  let got: unknown
  const keep = async (...args: unknown[]) => {
    got = args.at(-2)
    return {}
  }
  const service = { create: keep, patch: keep }
  app.service(path, service, { ...options, schema: schema as NonNullable<ServiceOptions['schema']> })
  return async (form: { headers: Record<string, string>; payload: string }, method: 'POST' | 'PATCH' = 'POST') => {
    got = undefined
    const response = await app.inject({ method, url: method === 'POST' ? `/${path}` : `/${path}/1`, ...form })
    const { message, errors } = response.json()
    // What follows is told by V8.
    const said = `${message}`.replace(/(The form can't be read: ).*JSON.*/, '$1…')
    // For `inject` no request is ever complete.
    const { connection } = response.headers
    const close = connection === 'close' ? ['close'] : []
    return response.statusCode < 300
      ? [response.statusCode, await describeFiles(got)]
      : [response.statusCode, said, ...(errors ? [errors] : []), ...close]
  }
}

t.test('what becomes of each form', async (t) => {
  const app = await create(t)
  const rows: Record<string, unknown> = {}
  const senders = {
    'by hand': add(app, 'hand', { create: { body }, patch: { body } }),
    resource: add(app, 'records', resource(body)),
    zod: add(
      app,
      'zod',
      resource(
        z.object({
          id: z.int(),
          title: z.string().optional(),
          file: z.file().optional(),
          more: z.array(z.file()).optional()
        }),
        { readOnly: ['id'] }
      )
    )
  }
  const limited = Object.entries(limits).map(([name, [options, names]]) => {
    const send = add(app, name.replaceAll(/\W/g, ''), { create: { body } }, options)
    return [name, send, names] as const
  })
  for (const [name, parts] of Object.entries(forms)) {
    const byHand = await senders['by hand'](toParts(...parts))
    rows[name] = byHand
    for (const schema of ['resource', ...(name.includes('file') ? ['zod' as const] : [])] as const) {
      const row = await senders[schema](toParts(...parts))
      if (JSON.stringify(row) !== JSON.stringify(byHand)) rows[`${name}, ${schema}`] = row
    }
  }
  const single = toParts(file('file'))
  const types = [
    'multipart/form-data; boundary=x',
    'Multipart/Form-Data ;boundary="x"',
    'multipart/form-data',
    'multipart/form-data; boundary=y',
    'multipart/mixed; boundary=x',
    'multipart/form-dataa; boundary=x',
    'xmultipart/form-data; boundary=x',
    json,
    ''
  ]
  for (const type of types)
    for (const method of ['POST', 'PATCH'] as const)
      rows[`${method} ${type}`] = await senders['by hand']({ ...single, headers: { 'content-type': type } }, method)
  rows['a form that is cut off'] = await senders['by hand']({ ...single, payload: single.payload.slice(0, -10) })
  for (const [name, send, names] of limited)
    for (const item of names) rows[`${name}: ${item}`] = await send(toParts(...(forms[item] as Part[])))
  isKept(t, rows, 'test/server/files/whole-forms.txt')
})
