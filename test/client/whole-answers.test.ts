import { createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { outcome } from './outcome.js'

/** What a call gives for an answer. */
async function answered(status: number, type: string | null, body: string | Uint8Array): Promise<unknown> {
  const response = {
    status,
    headers: { get: (name: string) => (name === 'content-type' ? type : 'no/type') },
    text: async () => new Response(body as string).text(),
    blob: async () => new Blob([body as string], { type: String(type) })
  }
  const result = await outcome(() =>
    createClient()
      .configure(rest('http://a').fetch(async () => response))
      .service('things')
      .find()
  )
  return result instanceof Blob ? `Blob ${result.type}: ${await result.text()}` : result
}

const types = [
  null,
  '',
  ...`application/json | Application/JSON | application/json; charset=utf-8 | application/json;charset=utf-8 |
  application/vnd.api+json | application/problem+json; a=b | application/jsonl | application/json5 |
  application/json, application/json | application/json-seq | application/json+zip | application/xjson | application/x;a=+json |
  application/x; a=json | x-application/json | text/json | image/json | json | text/plain |
  TEXT/HTML; charset=utf-8 | text | x-text/plain | application/xml | application/atom+xml | image/svg+XML |
  application/xmlx | application/x-xml | application/x+xml-more | application/javascript |
  application/x-javascript | application/ecmascript | application/x-ndjson | application/NDJSON |
  application/x-www-form-urlencoded | application/octet-stream | image/png | multipart/form-data`.split(/ ?\|\s*/)
]
const bodies: Record<string, string | Uint8Array> = {
  'a record': '{"a":"ä🙂"}',
  null: 'null',
  'a text': '"x"',
  'an empty text': '""',
  'a number': '0',
  false: 'false',
  'a list': '[]',
  blank: ' ',
  'no JSON': '{"a":',
  more: '{} x',
  'a mark of byte order': '\uFEFF{"a":1}',
  'bytes that are no text': new Uint8Array([123, 34, 255, 34, 58, 49, 125]),
  nothing: ''
}

t.test('successful answers: by their type, and by their body', async (t) => {
  const byType: Record<string, unknown> = {}
  for (const type of types)
    byType[String(type)] = [
      await answered(200, type, '{"a":1}'),
      await answered(200, type, 'x'),
      await answered(200, type, '')
    ]
  const byBody: Record<string, unknown> = {}
  for (const [name, body] of Object.entries(bodies))
    byBody[name] = [
      await answered(200, 'application/json', body),
      await answered(200, 'text/plain', body),
      await answered(200, 'image/png', body)
    ]
  isKept(t, { byType, byBody }, 'test/client/whole-answers.txt')
})

const errors: Record<string, unknown> = {
  'all fields': {
    name: 'Own',
    message: 'no',
    code: 499,
    className: 'own',
    data: { a: 1 },
    errors: [{ b: 2 }],
    stack: 'at',
    cause: 'why',
    extra: 1,
    type: 'FeathersError'
  },
  'the name alone': { name: 'Own' },
  'the message alone': { message: 'no' },
  'the class alone': { className: 'own' },
  'the code alone': { code: 400 },
  'data that is nothing': { data: null, errors: null },
  'data of other kinds': { data: 0, errors: '' },
  'data and no errors': { data: [1] },
  'errors and no data': { errors: { a: 'x' } },
  'empty texts': { name: '', message: '', className: '' },
  'no texts': { name: 1, message: null, className: {} },
  'of Fastify': { statusCode: 404, error: 'Not Found', message: 'Route not found' },
  'an empty object': {},
  null: null,
  'a text': 'no',
  'a number': 1,
  'a list': [{ message: 'no' }],
  'an own __proto__': JSON.parse('{"__proto__":{"message":"x"},"message":"no"}')
}

t.test('errors: by their status, and by their body', async (t) => {
  const byStatus: Record<string, unknown> = {}
  const statuses = [
    0,
    100,
    199,
    200,
    201,
    204,
    299,
    300,
    301,
    304,
    399,
    ...Array.from({ length: 32 }, (_, index) => 400 + index),
    451,
    499,
    500,
    501,
    502,
    503,
    504,
    505,
    511,
    598,
    599,
    600
  ]
  for (const status of statuses) byStatus[status] = await answered(status, 'application/json', '{}')
  const byBody: Record<string, unknown> = {}
  for (const [name, body] of Object.entries(errors))
    byBody[name] = [
      await answered(404, 'application/json', JSON.stringify(body)),
      await answered(418, 'application/json', JSON.stringify(body))
    ]
  const other: Record<string, unknown> = {
    'another type': await answered(400, 'text/plain', '{"message":"no"}'),
    'no type': await answered(400, null, '{"message":"no"}'),
    'a type of JSON': await answered(400, 'application/problem+json; charset=utf-8', '{"message":"no"}'),
    'no JSON': await answered(400, 'application/json', '{"message":'),
    'no body': await answered(400, 'application/json', '')
  }
  isKept(t, { byStatus, byBody, other }, 'test/client/whole-errors.txt')
})
