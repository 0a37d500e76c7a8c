import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Ajv2020 from 'ajv/dist/2020.js'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'

const text = { type: 'string' }
const needs = (name: string, more: object = {}) => ({ required: [name], properties: { [name]: text }, ...more })
const record = (more: object) => ({ type: 'object', properties: { a: text }, ...more })
const ifX = { properties: { a: { const: 'x' } }, required: ['a'] }

/** Schemas with parts at the same place as their names. */
const schemas: Record<string, object> = {
  anyOf: record({ anyOf: [needs('b'), needs('c')] }),
  oneOf: record({ oneOf: [needs('b'), needs('c')] }),
  'two unions': { type: 'object', anyOf: [needs('a'), needs('b')], oneOf: [needs('b'), needs('c')] },
  'a union in an intersection': { type: 'object', allOf: [needs('a'), { anyOf: [needs('b'), needs('c')] }] },
  'a reference beside names': record({ $ref: '#/$defs/b', $defs: { b: { type: 'object', ...needs('b') } } }),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  condition: record({ if: ifX, then: needs('b'), else: needs('c') }),
  dependentSchemas: record({ dependentSchemas: { a: needs('b') } }),
  dependentRequired: record({ properties: { a: text, b: text }, dependentRequired: { a: ['b'] } }),
  dependencies: record({ properties: { a: text, b: text, c: text }, dependencies: { a: ['b'], b: needs('c') } }),
  'a union alone': { type: 'object', oneOf: [needs('a', { required: ['a'] }), needs('b')] }
}
const bodies: object[] = [{ a: 'x', b: 'y' }, { a: 'y', c: 'z' }, { a: 'x' }, { b: 'y' }, { a: 'x', b: 'y', c: 'z' }]

for (const [name, schema] of Object.entries(schemas))
  t.test(`the document takes each body that the server takes: ${name}`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(swagger, openapi({ info: { title: 't', version: '1' } }))
    await app.register(services)
    app.service('things', memory() as object, { schema: resource(schema as object) as object })
    await app.inject({ method: 'POST', url: '/things', payload: bodies[0] as object })
    const document = app.swagger()
    const ajv = new Ajv2020.default({ strict: false, validateSchema: false, schemas: { document } })
    const contentOf = (item: object, verb: string) => JSON.stringify((item as Record<string, object>)[verb])
    const { '/things/': many, '/things/{id}': single, '/things': bare } = Object(document.paths)
    let refused = 0
    for (const [method, item] of [
      ['POST', bare ?? many],
      ['PATCH', single]
    ] as const) {
      const [pointer] = /#\/components\/schemas\/\w+/.exec(contentOf(item, method.toLowerCase())) as RegExpExecArray
      const validate = ajv.compile({ $ref: `document${pointer}` })
      for (const payload of bodies) {
        const url = method === 'POST' ? '/things' : '/things/0'
        const { statusCode } = await app.inject({ method, url, payload, headers: { accept: 'application/json' } })
        if (statusCode < 300) t.equal(validate(payload), true, `${method} ${JSON.stringify(payload)}`)
        else if (!validate(payload)) refused++
      }
    }
    t.ok(refused > 0 || name === 'condition', 'and refuses some that the server refuses')
  })
