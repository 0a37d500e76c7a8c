import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const int = { type: 'integer' }
const both = [{ $ref: '#/$defs/base' }, { $ref: '#/$defs/named' }]
const open = { additionalProperties: true }
const $defs = { base: object({ id: int }, open), named: object({ id: int, name: { type: 'string' } }, open) }

/** What a service that returns its data answers. */
async function ask(schema: object, method: 'POST' | 'PATCH', payload: object, url = '/records'): Promise<unknown> {
  const app = Fastify()
  await app.register(services)
  const create = async (data: unknown) => data
  app.service('records', { create, patch: async (_id: unknown, data: unknown) => data }, { schema: schema as never })
  const response = await app.inject({ method, url, payload, headers: { accept: 'application/json' } })
  await app.close()
  return response.statusCode < 400 ? response.json() : response.json().message
}

t.test('a record that refers to itself in a field that may be absent, whatever is said of the field', async (t) => {
  const Plain = z.object({
    a: z.int(),
    pin: z.string().optional().meta({ writeOnly: true }),
    get next() {
      return Plain.optional()
    }
  })
  const Noted = z.object({
    a: z.int(),
    get next() {
      return Noted.optional().meta({ deprecated: true, examples: [{ a: 1 }] })
    }
  })
  const record = { a: 1, next: { a: 2, next: { a: 3 } } }
  for (const Record of [Plain, Noted]) t.strictSame(await ask(resource(Record), 'POST', record), record)
  t.strictSame(await ask(resource(Plain), 'POST', { a: 1, next: { a: 2, pin: 'b', next: { a: 3, pin: 'c' } } }), record)
  const wrong = { a: 1, next: { a: 2, next: { a: 'x' } } }
  t.equal(await ask(resource(Plain), 'POST', wrong), 'next.next.a must be an integer')
})

t.test('a reference that may be null, as OpenAPI 3.0 has it', async (t) => {
  const wrapped = { nullable: true, allOf: [{ $ref: '#/$defs/one' }] }
  for (const value of [object({ a: int }), { type: 'string' }]) {
    const schema = object({ n: wrapped, next: { nullable: true, allOf: [{ $ref: '#' }] } }, { $defs: { one: value } })
    t.strictSame(await ask(resource(schema), 'POST', { n: null, next: { n: null, next: null } }), {
      n: null,
      next: { n: null, next: null }
    })
  }
})

t.test('an intersection within itself is taken and sent', async (t) => {
  const Endless = z.object({
    get both() {
      return z.intersection(Endless, z.object({ b: z.int() })).optional()
    }
  })
  const a = object({ a: int })
  const nested = { both: { both: { b: 2 }, b: 1 } }
  t.strictSame(await ask(resource(Endless), 'POST', nested), nested)
  t.doesNotThrow(() => resource(a, { create: Endless, update: Endless, patch: Endless, query: Endless }))
  const twice = object({ t: { allOf: both, properties: { child: { allOf: both } } } }, { $defs })
  const record = { t: { id: 1, name: 'a', child: { id: 2, name: 'b' } } }
  t.strictSame(await ask(resource(twice), 'POST', record), record)
})

t.test('a list that asks for lists like itself without end may be left out', async (t) => {
  const Lists: z.ZodType = z.lazy(() => z.array(Lists).min(1))
  const schema = resource(z.object({ id: z.int(), name: z.string(), lists: Lists.optional() }), { readOnly: ['id'] })
  t.strictSame(await ask(schema, 'POST', { name: 'a' }), { name: 'a' })
})

t.test('definitions that refer to each other are looked at once each', async (t) => {
  const names = Array.from({ length: 40 }, (_, index) => `d${index}`)
  const mesh = names.map((name, index) => {
    const next = { allOf: [...both, { $ref: `#/$defs/${names[index + 1] ?? 'base'}` }] }
    return [name, object({ one: next, two: next })]
  })
  const schema = object({ first: { $ref: '#/$defs/d0' } }, { $defs: { ...$defs, ...Object.fromEntries(mesh) } })
  t.doesNotThrow(() => resource(schema))
})

t.test('a field with the schema `false` takes nothing, by an option too', async (t) => {
  const never = object({ a: int, no: false }, { $defs })
  const schema = resource(object({ a: int }), { create: never, patch: never, query: never })
  t.equal(await ask(schema, 'POST', { a: 1, no: 1 }), 'no is not known')
  t.equal(await ask(schema, 'PATCH', { no: 1 }, '/records/1'), 'no is not known')
  t.equal(await ask(schema, 'POST', { a: 1 }, '/records?no=1'), 'no is not valid')
})
