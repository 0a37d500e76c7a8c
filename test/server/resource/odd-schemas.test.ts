import { resource } from 'fastify-services'
import t from 'tap'
import { createEcho } from '../../support/resource-app.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

t.test('references to schemas that are true or false, and to names that are no text of a URL', async (t) => {
  const $defs = { any: true, none: false, '50%': { type: 'integer' } }
  const schema = object(
    { a: { $ref: '#/$defs/any' }, b: { $ref: '#/$defs/none' }, c: { $ref: '#/$defs/50%' } },
    { $defs }
  )
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ a: [1], c: 1 }), [201, { a: [1], c: 1 }])
  t.equal((await post({ b: 1 }))[0], 400)
  t.strictSame(await post({ c: 'x' }), [400, 'c must be an integer'])
})

t.test('a copy of the schema with another answer sends by that one, without what options hide', async (t) => {
  const post = resource(object({ id: { type: 'integer' }, secret: {}, title: {} }) as object, {
    writeOnly: ['secret' as never]
  }) as unknown as Record<string, object>
  const response = object({ title: { type: 'string' }, secret: { type: 'string' } })
  const { send } = await createEcho(t, { ...post, get: { ...post.get, response } }, { id: 1, secret: 's', title: 't' })
  t.strictSame(await send({ url: '/1' }), [200, { title: 't' }])
})

t.test('a union of many branches without a tag: what one of them hides does not leave', async (t) => {
  const branch = (_: unknown, index: number) =>
    object({ deep: object({ [`f${index}`]: {}, secret: { type: 'string', writeOnly: index === 19 } }) })
  const schema = object({ a: { anyOf: Array.from({ length: 20 }, branch) } })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ a: { deep: { f3: 1, secret: 's' } } }), [201, { a: { deep: { f3: 1 } } }])
})

t.test('one name in both keywords for dependencies', async (t) => {
  const schema = object(
    { a: {}, b: {}, c: {} },
    { dependencies: { a: ['b'] }, dependentSchemas: { a: { required: ['c'] } }, dependentRequired: { a: ['b'] } }
  )
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ a: 1, b: 2, c: 3 }), [201, { a: 1, b: 2, c: 3 }])
  t.equal((await post({ a: 1, b: 2 }))[0], 400)
  t.equal((await post({ a: 1, c: 3 }))[0], 400)
})

t.test('a branch that is hidden as a whole, and two unions at one place', async (t) => {
  const tagged = (tag: string, hidden: string, shown: string) => ({
    oneOf: [
      { ...object({ [tag]: { const: hidden } }, { required: [tag] }), writeOnly: true },
      object({ [tag]: { const: shown } }, { required: [tag] })
    ]
  })
  const one = tagged('kind', 'secret', 'open')
  const both = { type: 'object', allOf: [tagged('kind', 'secret', 'open'), tagged('form', 'x', 'y')] }
  const { post } = await createEcho(t, resource(object({ one, both }) as object))
  t.strictSame(await post({ one: { kind: 'secret' } }), [201, {}])
  t.strictSame(await post({ one: { kind: 'open' } }), [201, { one: { kind: 'open' } }])
  const open = { both: { kind: 'open', form: 'y' } }
  t.strictSame(await post(open), [201, open])
  t.strictSame(await post({ both: { kind: 'open', form: 'x' } }), [201, {}])
})

t.test('a field that is required is asked for beside rules for names', async (t) => {
  const schema = object({ a: {}, b: {} }, { required: ['b'], propertyNames: { maxLength: 8 } })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({}), [400, 'b is required'])
  t.strictSame(await post({ a: 1 }), [400, 'b is required'])
  t.strictSame(await post({ b: 1 }), [201, { b: 1 }])
})
