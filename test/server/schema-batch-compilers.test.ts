import Fastify, { type FastifySchemaCompiler } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

/** Sends a batch to a host whose compiler of validators is its own. */
async function create(t: Test, validate: (value: unknown) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setValidatorCompiler((() => validate) as FastifySchemaCompiler<unknown>)
  await app.register(services)
  app.service('things', { create: async (data) => data }, { schema: { create: { body: { own: 'kind of schema' } } } })
  const response = await app.inject({ method: 'POST', url: '/things', payload: [{ a: 1 }, { a: 2 }] })
  return [response.statusCode, response.json()]
}

const isBad = (value: unknown) => Array.isArray(value) || (value as { a?: number }).a === 2

t.test('a validator that answers `{ error }`: each record of a batch is held to it', async (t) => {
  const answer = await create(t, (value) => (isBad(value) ? { error: new Error('too much') } : { value }))
  t.match(answer, [400, { name: 'BadRequest', message: 'body/1 is not valid: too much' }])
})

t.test('a validator that answers `{ value }`: the service gets the values', async (t) => {
  t.strictSame(await create(t, (value) => ({ value: Array.isArray(value) ? value : { seen: value } })), [
    201,
    [{ seen: { a: 1 } }, { seen: { a: 2 } }]
  ])
})

t.test('a validator that answers `false`, with little or nothing to say', async (t) => {
  const silent = (value: unknown) => !isBad(value)
  t.match(await create(t, silent), [400, { message: 'body/1 is not valid', errors: [] }])
  const brief = Object.assign((value: unknown) => !isBad(value), { errors: [{}] })
  t.match(await create(t, brief), [400, { message: 'body/1 is not valid', errors: [{ instancePath: '/1' }] }])
})
