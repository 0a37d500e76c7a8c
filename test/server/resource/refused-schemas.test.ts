import { toStandardJsonSchema } from '@valibot/to-json-schema'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import * as z from 'zod'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const deep = (schema: object) => object({ deep: object({ list: { type: 'array', items: schema } }) })
const text = { type: 'string' }

t.test('keywords that Ajv refuses to compile have no effect', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const money = { type: 'string', format: 'money', formatMinimum: '5' }
  const schema = resource(object({ a: { $async: true, id: '#a', ...text }, money }, { id: '#root' }) as never, {
    query: object({ q: { id: '#q', type: 'integer' } }) as never
  })
  app.service('things', { find: async () => [], create: async (data: object) => data }, { schema: schema as object })
  const create = (payload: object) => app.inject({ method: 'POST', url: '/things', payload })
  t.equal((await create({ a: 'a', money: '4' })).statusCode, 201)
  t.equal((await create({ a: 1 })).statusCode, 400)
  t.equal((await app.inject('/things?q=1&a=a&money[$gt]=1')).statusCode, 200)
  t.equal((await app.inject('/things?q=a')).statusCode, 400)
})

t.test('limits of formats hold beside keywords that Ajv does not know', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const day = { type: 'string', format: 'date', formatMinimum: '2030-01-01' }
  const schema = resource(object({ day, 'x-a': { $comment: 'c', 'x-own': 1, other: 2 } }) as never) as object
  app.service('things', { find: async () => [], create: async (data: object) => data } as object, { schema })
  const create = (day: string) => app.inject({ method: 'POST', url: '/things', payload: { day } })
  t.equal((await create('2030-01-01')).statusCode, 201)
  t.equal((await create('2029-01-01')).statusCode, 400)
  t.equal((await app.inject('/things?day[$gt]=2029-01-01')).statusCode, 200)
})

t.test('an error at the start names the place in the schema', async (t) => {
  const Folder = z.object({
    get folders() {
      return z.array(Folder)
    },
    at: z.date()
  })
  const shared = v.object({ name: v.string() })
  const rows: [schema: object, message: RegExp][] = [
    [toStandardJsonSchema(v.object({ a: shared, b: v.array(shared), c: v.record(v.string(), v.date()) })), /'c\.\*'/],
    [toStandardJsonSchema(v.object({ c: v.object({ x: shared, y: shared, at: v.date() }) })), /'c\.at'/],
    [deep({ type: 'integr' }), /^deep\.list\[\]: There is no type 'integr'\. Did you mean 'integer'\?$/],
    [deep({ type: 'money' }), /^deep\.list\[\]: There is no type 'money'$/],
    [deep({ requird: ['a'] }), /^deep\.list\[\]: There is no keyword 'requird'\. Did you mean 'required'\?$/],
    [
      object({ a: { type: 'string', readonly: true } }),
      /^a: There is no keyword 'readonly'\. Did you mean 'readOnly'\?$/
    ],
    [
      { ...object({ name: text }), required: ['nmae'] },
      /^resource\(\) knows no field 'nmae', which the schema requires\. There are: name\. Did you mean 'name'\?$/
    ],
    [deep({ pattern: '(' }), /^deep\.list\[\]: The pattern '\('/],
    [deep({ type: null }), /^deep\.list\[\]: .*'type' must be a type/],
    [object({ a: { additionalProperties: { minLength: '3' } } }), /^a\.\*: .*'minLength' must be a number/],
    [object({ a: { patternProperties: { '^x': { minLength: '3' } } } }), /^a\.\^x: /],
    [object({ a: text }, { dependencies: { a: 5 } }), /^The schema is no JSON Schema: 'dependencies' must be/],
    [
      z.object({ deep: z.object({ list: z.array(z.object({ at: z.date().optional() })).nullable() }) }),
      /got no JSON Schema from zod for 'deep\.list\[\]\.at': Date/
    ],
    [Folder, /from zod for 'at': Date/],
    [z.object({ a: z.lazy(() => z.object({ b: z.tuple([z.string(), z.date()]) })) }), /from zod for 'a\.b\[\]': Date/],
    [z.object({ a: z.union([z.string(), z.record(z.string(), z.bigint())]) }), /from zod for 'a\.\*': BigInt/],
    [
      toStandardJsonSchema(v.object({ deep: v.object({ list: v.array(v.optional(v.object({ at: v.date() }))) }) })),
      /got no JSON Schema from valibot for 'deep\.list\[\]\.at': The "date"/
    ]
  ]
  for (const [schema, message] of rows) t.throws(() => resource(schema as never), { message })
})

t.test('the stack of an error begins with the line that calls resource()', async (t) => {
  let nested: object = { type: 'integr' }
  for (let depth = 0; depth < 30; depth++) nested = object({ nested })
  for (const [schema, options] of [
    [nested, {}],
    [object({ name: text }), { readOnly: ['nmae'] }],
    [object({ name: text }), { readonly: [] }]
  ] as const) {
    const { stack } = thrownBy(schema, options)
    t.match(String(stack).split('\n')[1], /^ +at .*refused-schemas\.test/)
  }
})

function thrownBy(schema: object, options: object): Error {
  try {
    resource(schema as never, options as never)
  } catch (error) {
    return error as Error
  }
  throw new Error('resource() has thrown nothing')
}
