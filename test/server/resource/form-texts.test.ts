import multipart from '@fastify/multipart'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { toForm } from '../../support/form.js'

const file = { type: 'string', format: 'binary' }
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
const fields = {
  count: { type: ['integer', 'null'] },
  due: { type: ['string', 'null'], format: 'date' },
  kind: { enum: ['a', 'b', null] },
  note: { type: ['string', 'null'] },
  done: { type: 'boolean' },
  seen: orNull({ type: 'boolean' })
}

const schemas: Readonly<Record<string, unknown>> = {
  'JSON Schema': { type: 'object', properties: fields },
  'JSON Schema, with files': { type: 'object', properties: { ...fields, file } },
  TypeBox: Type.Partial(
    Type.Object({
      count: Type.Union([Type.Integer(), Type.Null()]),
      due: Type.Union([Type.String({ format: 'date' }), Type.Null()]),
      kind: Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]),
      note: Type.Union([Type.String(), Type.Null()]),
      done: Type.Boolean(),
      seen: Type.Union([Type.Boolean(), Type.Null()])
    })
  ),
  zod: z
    .object({
      count: z.int().nullable(),
      due: z.iso.date().nullable(),
      kind: z.enum(['a', 'b']).nullable(),
      note: z.string().nullable(),
      done: z.boolean(),
      seen: z.boolean().nullable()
    })
    .partial(),
  Valibot: toStandardJsonSchema(
    v.partial(
      v.object({
        count: v.nullable(v.pipe(v.number(), v.integer())),
        due: v.nullable(v.pipe(v.string(), v.isoDate())),
        kind: v.nullable(v.picklist(['a', 'b'])),
        note: v.nullable(v.string()),
        done: v.boolean(),
        seen: v.nullable(v.boolean())
      })
    )
  ),
  ArkType: ark({
    'count?': 'number.integer | null',
    'due?': ark('string')
      .configure({ format: 'date' } as object)
      .or('null'),
    'kind?': "'a' | 'b' | null",
    'note?': 'string | null',
    'done?': 'boolean',
    'seen?': 'boolean | null'
  })
}

/** What a form sends, and what the service gets; a status if it is refused. */
const rows: [form: Record<string, string>, data: object | number][] = [
  [{ count: '' }, { count: null }],
  [{ count: '5' }, { count: 5 }],
  [{ due: '' }, { due: null }],
  [{ kind: '' }, { kind: null }],
  [{ note: '' }, { note: '' }],
  [{ done: 'on' }, { done: true }],
  [{ done: 'true' }, { done: true }],
  [{ done: 'false' }, { done: false }],
  [{ done: '' }, 400],
  [{ done: 'onion' }, 400],
  [
    { seen: 'on', count: '' },
    { seen: true, count: null }
  ],
  [{ seen: '' }, { seen: null }]
]

for (const [library, schema] of Object.entries(schemas))
  t.test(`an empty input and a checked box of a form: ${library}`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(multipart)
    await app.register(services)
    const got: unknown[] = []
    const create = async (data: object) => got.push({ ...data })
    app.service('things', { create } as object, { schema: resource(schema as never) as object })
    for (const [form, data] of rows) {
      const type = 'application/x-www-form-urlencoded'
      const payload = new URLSearchParams(form).toString()
      const forms = [{ headers: { 'content-type': type }, payload }]
      if (library.includes('files')) forms.push((await toForm(form)) as never)
      for (const sent of forms) {
        const { statusCode } = await app.inject({ method: 'POST', url: '/things', ...sent })
        if (typeof data === 'number') t.equal(statusCode, data, payload)
        else t.strictSame(got.splice(0), [data], payload)
      }
    }
    for (const body of [{ count: '' }, { done: 'on' }])
      t.equal((await app.inject({ method: 'POST', url: '/things', payload: body })).statusCode, 400, 'JSON has types')
  })
