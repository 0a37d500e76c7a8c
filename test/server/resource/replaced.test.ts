import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

const things = resource(Type.Object({ name: Type.String(), role: Type.String() }))
const body = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: { name: { type: 'string' } }
}
const querystring = { type: 'object', properties: { page: { type: 'integer' } } }

t.test('a part of the schema of one method can be replaced', async (t) => {
  const schema = { ...things, create: { ...things.create, body }, find: { ...things.find, querystring } }
  const { post, send } = await createEcho(t, schema)
  t.strictSame(await post({ name: 'a', role: 'admin' }), [201, { name: 'a' }])
  t.strictSame(await post([{ name: 'a', role: 'admin' }]), [201, [{ name: 'a' }]], 'of each record')
  t.match(await post([{ name: 'a' }, { role: 'admin' }]), [400, /body\/1 must have required property 'name'/])
  t.match(await send({ url: '?page=x' }), [400, /page must be integer/])
  t.match(await send({ url: '?page=1' }), [200])
  t.strictSame(await send({ method: 'PUT', url: '/1', payload: { name: 'a' } }), [400, 'role is required'])
  t.strictSame(await post({ name: 'a' }), [201, { name: 'a' }])
})

t.test('the compilers of the application read what was replaced', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(services)
  const create = { ...things.create, body: z.object({ name: z.string().trim() }) }
  app.service('things', { create: async (data) => data }, { schema: { ...things, create } as object })
  const response = await app.inject({ method: 'POST', url: '/things', payload: { name: ' a ', role: 'admin' } })
  t.strictSame(response.json(), { name: 'a' })
})

t.test('a schema for `patch` gives no field its default', async (t) => {
  const patches = [
    z.object({ name: z.string(), views: z.int().default(0) }).partial(),
    Type.Partial(Type.Object({ name: Type.String(), views: Type.Integer({ default: 0 }) }))
  ]
  for (const patch of patches) {
    const whole = Type.Object({ name: Type.String(), views: Type.Integer() })
    const { send } = await createEcho(t, resource(whole, { patch }))
    const change = (payload: object) => send({ method: 'PATCH', url: '/1', payload })
    t.strictSame(await change({ name: 'a' }), [200, { name: 'a' }])
    t.strictSame(await change({ views: 0 }), [200, { views: 0 }])
  }
})
