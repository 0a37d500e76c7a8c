import Fastify from 'fastify'
import services, { type Params, resource } from 'fastify-services'
import t from 'tap'
import { createEcho } from '../../support/resource-app.js'

const object = (properties: object) => resource({ type: 'object', properties } as object)
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })

t.test('an empty text is null where the field can be null, and no empty text', async (t) => {
  const asked: unknown[] = []
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const find = async ({ query }: Params) => {
    asked.push(query)
    return []
  }
  const schema = object({
    n: { type: ['integer', 'null'] },
    on: nullable({ type: 'string', format: 'date' }),
    kind: { enum: ['a', null] },
    kindOrEmpty: { enum: ['', 'a', null] },
    text: { type: ['string', 'null'] },
    must: { type: 'integer' }
  })
  app.service('things', { find }, { schema })
  const send = (query: string) => app.inject(`/things?${query}`)
  const finds = async (text: string, query: object) => {
    await send(text)
    t.strictSame(asked.splice(0), [query], text)
  }
  await finds('n=&on=&kind=', { n: null, on: null, kind: null })
  await finds('n[$ne]=', { n: { $ne: null } })
  await finds('n[$in][]=&n[$in][]=1', { n: { $in: [null, 1] } })
  await finds('n[$nin][]=', { n: { $nin: [null] } })
  await finds('$or[0][n]=', { $or: [{ n: null }] })
  await finds('text=&kindOrEmpty=', { text: '', kindOrEmpty: '' })
  t.equal((await send('must=')).json().message, 'must must be an integer')
  t.equal((await send('n[$gt]=')).json().message, 'n[$gt] must be an integer or null', 'an order is none of null')
  await app.service('things').find({ query: { text: null } } as never)
  t.strictSame(asked, [{ text: null }], 'a call of the server is not changed')
})

t.test('a query is told all that is wrong with it', async (t) => {
  const { app } = await createEcho(t, object({ n: { type: 'integer' }, m: { type: 'integer' } }))
  const ask = async (query: string) => (await app.inject(`/things?${query}`)).json()
  const placesOf = async (query: string) =>
    (await ask(query)).errors.map(({ instancePath }: { instancePath: string }) => instancePath)
  t.equal((await ask('n=x&m=y')).message, 'n must be an integer (and 1 more)')
  t.strictSame(
    await placesOf(
      'n=x&$or[0][m]=y&$or[1][n][$in][]=1&$or[1][n][$in][]=z&$limit=a&$sort[o]=1&$sort[n]=2&$select=p&q=1'
    ),
    ['/n', '/$or/0/m', '/$or/1/n/$in/1', '/$limit', '/$sort/o', '/$sort/n', '/$select', '/q']
  )
  t.equal((await placesOf(Array.from({ length: 50 }, (_, i) => `x${i}=1`).join('&'))).length, 20, 'bounded')
  const { errors } = await ask('a=1&b=1')
  t.equal(errors[1].message, 'is not known', 'the names that there are, are told once')
})

t.test('a long list of values that do not fit is told in part', async (t) => {
  const { app } = await createEcho(t, object({ n: { type: 'integer' } }))
  const query = Array.from({ length: 60 }, () => 'n[$in][]=x').join('&')
  const { errors, message } = (await app.inject(`/things?${query}`)).json()
  t.equal(errors.length, 20)
  t.match(message, 'n[$in][0] must be an integer')
})
