import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'

const properties = { id: { type: 'integer' }, secret: { type: 'string', writeOnly: true } }
const stored = { id: 1, secret: 's', other: 2 }
const tagged = (kind: number) => ({ properties: { ...properties, kind: { const: kind } } })
const schemas = {
  'properties alone': { properties },
  'an intersection': { allOf: [{ properties }] },
  'a union': { anyOf: [tagged(1), tagged(2)] },
  'items beside properties': { properties, items: { type: 'object' } }
}

t.test('a record whose schema states no type leaves in lists as it does alone', async (t) => {
  for (const [name, schema] of Object.entries(schemas)) {
    const app = Fastify()
    await app.register(services)
    const page = async () => ({ total: 1, limit: 1, skip: 0, data: [stored] })
    const every = async () => [stored]
    const methods = { every: { route: 'GET /every', response: { properties } }, page: { route: 'GET /page' } } as const
    const object = { find: every, get: async () => stored, every, page }
    app.service('things', object as object, { schema: resource(schema, { methods }) as object })
    const ask = async (url: string) => (await app.inject(url)).json()
    t.strictSame(await ask('/things/1'), { id: 1 }, name)
    t.strictSame(await ask('/things'), [{ id: 1 }], `${name}: a list`)
    t.strictSame(await ask('/things/every'), [{ id: 1 }], `${name}: the list of a custom method`)
    t.strictSame((await ask('/things/page')).data, [{ id: 1 }], `${name}: a page`)
    await app.close()
  }
})

t.test('the answer of a custom method is a list where its schema speaks of items', async (t) => {
  const app = Fastify()
  await app.register(services)
  const items = { type: 'object', properties: { id: { type: 'integer' } } }
  const methods = { every: { route: 'GET /every', response: { items } } } as const
  const schema = resource({ type: 'object', properties }, { methods })
  app.service('things', { every: async () => [stored] } as object, { schema: schema as object })
  t.strictSame((await app.inject('/things/every')).json(), [{ id: 1 }])
  await app.close()
})
