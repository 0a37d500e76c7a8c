import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'

const pair = [{ type: 'string' }, { type: 'integer' }]
const newer = { $id: 'newer', type: 'array', prefixItems: pair, items: false }
const older = { $id: 'older', type: 'array', items: pair, additionalItems: false }
const object = (properties: object) => ({ type: 'object', properties })

t.test('shared schemas of two versions of JSON Schema do not meet where a service refers to one of them', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  for (const schema of [newer, older]) app.addSchema(schema)
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const schemas = {
    newer: object({ pair: { $ref: 'newer#' } }),
    older: object({ pair: { $ref: 'older#' } }),
    none: z.object({ pair: z.tuple([z.string(), z.int()]) })
  }
  const create = async (data: unknown) => data
  for (const [path, schema] of Object.entries(schemas))
    app.service(path, { create } as object, { schema: resource(schema) as object })
  await app.ready()
  for (const path of Object.keys(schemas)) {
    const post = (payload: object) => app.inject({ method: 'POST', url: `/${path}`, payload })
    const { statusCode, body } = await post({ pair: ['a', 1] })
    t.strictSame([statusCode, body], [201, '{"pair":["a",1]}'], path)
    t.equal((await post({ pair: ['a', 'b'] })).statusCode, 400, path)
    t.equal((await post({ pair: ['a', 1, 2] })).statusCode, 400, path)
  }
})
