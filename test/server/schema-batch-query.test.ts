import Fastify, { type FastifySchemaCompiler } from 'fastify'
import services, { type Params } from 'fastify-services'
import t, { type Test } from 'tap'

/** Sends a batch, and the query `?a=1`, to a host whose compiler of validators is its own. @returns the query of the call */
async function queryOf(t: Test, validateQuery: (query: unknown) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  const compiler: FastifySchemaCompiler<unknown> = ({ httpPart }) =>
    httpPart === 'querystring'
      ? (validateQuery as never)
      : (body) => (Array.isArray(body) ? { error: new Error('a list') } : { value: body })
  app.setValidatorCompiler(compiler)
  await app.register(services)
  const create = async (_data: unknown, { query }: Params) => ({ query })
  app.service('things', { create }, { schema: { create: { body: { own: 'kind' }, querystring: { own: 'kind' } } } })
  const response = await app.inject({ method: 'POST', url: '/things?a=1', payload: [{}] })
  return [response.statusCode, response.json().query ?? response.json().message]
}

t.test('a query that its validator gives another value: a batch gets that', async (t) => {
  t.strictSame(await queryOf(t, () => ({ value: { a: 1 } })), [201, { a: 1 }])
})

t.test(
  'a query that its validator leaves as it is: a batch gets it, and what the validator has changed in it',
  async (t) => {
    t.strictSame(await queryOf(t, () => true), [201, { a: '1' }])
    t.strictSame(await queryOf(t, (query) => Object.assign(query as object, { b: 2 }) && undefined), [
      201,
      { a: '1', b: 2 }
    ])
  }
)

t.test('a query that its validator refuses: a batch is answered with 400', async (t) => {
  t.strictSame(await queryOf(t, () => ({ error: new Error('bad') })), [400, 'querystring is not valid: bad'])
})
