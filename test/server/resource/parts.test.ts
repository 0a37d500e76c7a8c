import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t, { type Test } from 'tap'
import * as v from 'valibot'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

type Row = readonly [part: object, status: number, answer: unknown]

const hash = (text: string) => `HASH(${text})`
const zodHash = z.string().transform(hash)
const valibotHash = v.pipe(v.string(), v.transform(hash))
const arkHash = type('string').pipe(hash)
const valibot = (schema: v.GenericSchema) => toStandardJsonSchema(schema)

async function sendParts(t: Test, schema: unknown, rows: readonly Row[], options: object = { readOnly: ['id'] }) {
  const { send } = await createEcho(t, resource(schema as z.ZodType, options))
  for (const [payload, status, answer] of rows)
    t.match(await send({ method: 'PATCH', url: '/1', payload }), [status, answer], JSON.stringify(payload))
}

const untagged: Readonly<Record<string, unknown>> = {
  'strict objects of zod': z.union([
    z.strictObject({ id: z.int(), a: zodHash }),
    z.strictObject({ id: z.int(), b: z.int().refine((number) => number !== 13, 'no luck') })
  ]),
  'objects of zod': z.union([
    z.object({ id: z.int(), a: zodHash }),
    z.object({ id: z.int(), b: z.int().refine((number) => number !== 13, 'no luck') })
  ]),
  Valibot: valibot(
    v.union([
      v.object({ id: v.number(), a: valibotHash }),
      v.pipe(
        v.object({
          id: v.number(),
          b: v.pipe(
            v.number(),
            v.integer(),
            v.check((number) => number !== 13, 'no luck')
          )
        }),
        v.check(() => true)
      )
    ])
  ),
  ArkType: type({ id: 'number', a: 'string' }).or({
    id: 'number',
    b: type('number.integer').narrow((number, context) => number !== 13 || context.reject({ message: 'no luck' }))
  })
}

for (const [name, schema] of Object.entries(untagged)) {
  // ArkType has no transformations in a union without a tag.
  const a = name === 'ArkType' ? 'x' : 'HASH(x)'
  t.test(`a part of a union without a tag is held to the branch that has its fields: ${name}`, (t) =>
    sendParts(t, schema, [
      [{ b: 2 }, 200, { b: 2 }],
      [{ a: 'x' }, 200, { a }],
      [{ a: 'x', b: 2 }, 200, { a, b: 2 }],
      [{ b: 'x' }, 400, /^b must be/],
      [{ b: { $gt: 1 } }, 400, /^b must be/],
      [{ b: 13 }, 400, 'b: no luck'],
      [{ a: 'x', b: 'x' }, 400, /^b must be/]
    ])
  )
}

const even = z.int().refine((number) => number % 2 === 0, 'is odd')
const valibotEven = v.pipe(
  v.number(),
  v.check((number) => number % 2 === 0, 'is odd')
)
const tagged: Readonly<Record<string, unknown>> = {
  zod: z.discriminatedUnion('kind', [
    z.object({ id: z.int(), kind: z.literal('user'), even, password: zodHash, name: z.string().toUpperCase() }),
    z.object({ id: z.int(), kind: z.literal('bot'), url: z.url(), name: z.int() })
  ]),
  Valibot: valibot(
    v.variant('kind', [
      v.object({
        id: v.number(),
        kind: v.literal('user'),
        even: valibotEven,
        password: valibotHash,
        name: v.pipe(v.string(), v.toUpperCase())
      }),
      v.object({ id: v.number(), kind: v.literal('bot'), url: v.pipe(v.string(), v.url()), name: v.number() })
    ])
  ),
  ArkType: type({
    id: 'number',
    kind: "'user'",
    even: type('number').narrow((number, context) => number % 2 === 0 || context.reject({ message: 'is odd' })),
    password: arkHash,
    name: type('string').pipe((text) => text.toUpperCase())
  }).or({ id: 'number', kind: "'bot'", url: 'string.url', name: 'number' })
}

for (const [name, schema] of Object.entries(tagged))
  t.test(`a part of a union with a tag is checked and transformed by the branches that have its fields: ${name}`, (t) =>
    sendParts(t, schema, [
      [{ even: 2, password: 'plain' }, 200, { even: 2, password: 'HASH(plain)' }],
      [{ even: 3 }, 400, 'even: is odd'],
      [{ url: 'https://example.com/' }, 200, {}],
      [{ name: 'a' }, 200, { name: 'A' }],
      [{ name: 1 }, 200, { name: 1 }],
      [{ kind: 'user', name: 'a' }, 200, { name: 'A' }],
      [{ kind: 'user', name: 1 }, 400, /^name/],
      [{ kind: 'bot', password: 'plain' }, 400, 'password is not known'],
      [{ kind: 'cat' }, 400, /^kind must be user/]
    ])
  )

const code = z.string().regex(/^\d{3}-[A-Z]{2}$/)
const valibotCode = v.pipe(v.string(), v.regex(/^\d{3}-[A-Z]{2}$/))
const account = z.object({ id: z.int(), code, password: zodHash, from: z.int(), to: z.int() })
const valibotAccount = v.object({
  id: v.number(),
  code: valibotCode,
  password: valibotHash,
  from: v.pipe(v.number(), v.integer()),
  to: v.pipe(v.number(), v.integer())
})
const arkAccount = type({
  id: 'number',
  code: /^\d{3}-[A-Z]{2}$/,
  password: arkHash,
  from: 'number.integer',
  to: 'number.integer'
})
const isOrdered = ({ from, to }: { from: number; to: number }) => from <= to
const records: Readonly<Record<string, unknown>> = {
  zod: account,
  'a check of zod that blames a field': account.refine(isOrdered, { message: 'wrong order', path: ['to'] }),
  'what zod freezes': account.readonly(),
  Valibot: valibot(valibotAccount),
  'a check of Valibot': valibot(
    v.pipe(
      valibotAccount,
      v.check((value) => isOrdered(value)),
      v.brand('Account')
    )
  ),
  ArkType: arkAccount
}

for (const [name, schema] of Object.entries(records))
  t.test(`a field of a part is what the library makes of it, whatever the other fields ask for: ${name}`, (t) => {
    const options = { readOnly: ['id'], response: account }
    const rows: readonly Row[] = [
      [{ password: 'plain' }, 200, { password: 'HASH(plain)' }],
      [{ code: '123-AB', password: 'plain' }, 200, { code: '123-AB', password: 'HASH(plain)' }],
      [{ from: 2, to: 1 }, 200, { from: 2, to: 1 }],
      [{ code: '1' }, 400, /^code must match/],
      [{ from: 1, password: 1 }, 400, /^password must be a string/]
    ]
    return sendParts(t, schema, rows, options)
  })

t.test('a check of a whole record of ArkType does not count for a part', (t) =>
  sendParts(
    t,
    type({ id: 'number', from: 'number', to: 'number' }).narrow(isOrdered),
    [
      [{ from: 2, to: 1 }, 200, { from: 2, to: 1 }],
      [{ from: 'x' }, 400, /^from must be a number/]
    ],
    { readOnly: ['id'], create: type({ from: 'number', to: 'number' }) }
  )
)

t.test('a field that no schema names is a further field of an open record', async (t) => {
  for (const schema of [
    z.object({ a: z.string() }).catchall(even),
    valibot(v.objectWithRest({ a: v.string() }, valibotEven))
  ]) {
    const rows: readonly Row[] = [
      [{ more: 2 }, 200, { more: 2 }],
      [{ more: 3 }, 400, 'more: is odd']
    ]
    await sendParts(t, schema, rows, {})
  }
  for (const schema of [z.looseObject({ a: z.string() }), valibot(v.looseObject({ a: v.string() }))])
    await sendParts(t, schema, [[{ a: 'a', more: 3 }, 200, { a: 'a', more: 3 }]], {})
})

const response = z.object({ a: z.string() })

async function start(t: Test, schema: unknown, methods: readonly string[] = ['patch']) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const service = Object.fromEntries(methods.map((method) => [method, async () => ({})]))
  app.service('things', service, { schema: schema as object })
  await app.ready()
  return app
}

t.test('a schema that can not check parts stops the start of a service with `patch`', async (t) => {
  const upper = (record: { a: string }) => ({ a: record.a.toUpperCase() })
  const record = v.object({ a: v.string() })
  const schemas = [
    z.object({ a: z.string() }).transform(upper),
    z.object({ a: z.string() }).overwrite(upper),
    z.preprocess((record) => record, z.object({ a: z.string() })),
    z.union([z.object({ a: z.string() }).transform(upper), z.object({ n: z.int() })]),
    z.intersection(z.object({ a: z.string() }), z.object({ n: z.int().optional() })),
    valibot(v.intersect([record, v.object({ n: v.optional(v.number()) })])),
    valibot(v.pipe(record, v.transform(upper))),
    valibot(v.pipe(record, v.transform(upper), record)),
    valibot(v.union([v.pipe(record, v.transform(upper)), v.object({ n: v.number() })])),
    type({ a: 'string' }).pipe(upper)
  ]
  const message = /can't check a part of a record.+transforms records as a whole.+Set the option `patch`/
  for (const schema of schemas) {
    await t.rejects(async () => start(t, resource(schema as z.ZodType, { response })), { message })
    await t.resolves(start(t, resource(schema as z.ZodType, { response }), ['create']), 'without `patch`')
    const patch = z.object({ a: z.string().optional() })
    await t.resolves(start(t, resource(schema as z.ZodType, { patch, response })), 'with a schema for it')
  }
})
