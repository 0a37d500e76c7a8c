import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { commonOperators, type HookContext } from 'fastify-services'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t, { type Test } from 'tap'
import { resources } from '../../support/resource-libraries.js'
import { invalid, type Row, stored, valid } from './requests.js'

interface Record {
  id: number
  title: string
  rating: number
  status: 'draft' | 'final'
}

async function createApp(
  t: Test,
  schema: (typeof resources)['typebox'],
  options: FastifyServerOptions,
  hasOwn: boolean
) {
  const app = Fastify(options)
  t.teardown(() => app.close())
  if (hasOwn) app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  await app.register(services, { hooks: { before: { all: [commonOperators()] } }, query: { depth: 20 } })
  const posts = memory<Record>({ startId: 4, multi: true })
  const toNumber = (context: HookContext) => {
    if (typeof context.id === 'string') context.id = Number(context.id)
  }
  app.service('posts', posts, { schema, hooks: { before: { all: [toNumber] } } })
  return async ([method, url, payload]: Row) => {
    posts.store = Object.fromEntries(stored.map((record) => [record.id, { ...record } as Record]))
    posts._uId = 4
    const request = { method: method as 'GET', url: `/posts${url}`, headers: { accept: 'application/json' } }
    const response = await app.inject({ ...request, ...(payload !== undefined && { payload: payload as object }) })
    return { status: response.statusCode, body: response.json() }
  }
}

const hosts: [name: string, options: FastifyServerOptions, hasOwn?: true][] = [
  ['as Fastify is', {}],
  ['that drops all it can', { ajv: { customOptions: { removeAdditional: 'all', coerceTypes: false } } }],
  ['that drops nothing', { ajv: { customOptions: { removeAdditional: false, useDefaults: false, allErrors: true } } }],
  [
    'that serializes long lists by itself',
    { serializerOpts: { largeArrayMechanism: 'json-stringify', largeArraySize: 1 } }
  ],
  ['with the compilers of zod', {}, true]
]

t.test('there are 30 valid requests and 60 invalid ones', async (t) => {
  t.strictSame([valid.length, invalid.length], [30, 60])
})

// Every library on one host, and two on all: one that is JSON Schema, and one that is not.
for (const [library, schema] of Object.entries(resources))
  for (const [host, options, hasOwn = false] of /^(typebox|zod)$/.test(library) ? hosts : hosts.slice(0, 1))
    t.test(`${library}, on a host ${host}`, async (t) => {
      const send = await createApp(t, schema as typeof resources.typebox, options, hasOwn)
      for (const row of valid) {
        const { status, body } = await send(row)
        t.strictSame([status, body], [row[0] === 'POST' ? 201 : 200, row[3]], `${row[0]} ${row[1]}`)
      }
      for (const row of invalid) {
        const { status, body } = await send(row)
        t.strictSame([status, body.message], [400, row[3]], `${row[0]} ${row[1]}`)
      }
    })
