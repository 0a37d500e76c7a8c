import type { FastifyInstance, InjectOptions } from 'fastify'
import { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { isKept } from '../support/kept.js'
import { ask, create, keep, names } from './seen-service.js'

// Which bodies, forms and queries resources let pass, and what becomes of them.

const object = {
  find: async ({ query }: { query: unknown }) => keep(query, 0),
  ...Object.fromEntries(names.map((name) => [name, keep]))
}

const body = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', maxLength: 3 }, count: { type: 'integer', default: 1 } }
}
const querystring = { type: 'object', properties: { page: { type: 'integer', maximum: 5 } } }
const headers = { type: 'object', properties: { 'x-own': { type: 'integer' } } }
/** Bodies by their names. */
const bodies = `one: {"text":"a"}
list: [{"text":"a"},{"text":"b","count":"2"}]
empty: []
nothing:
bare: {}
too long: {"text":"long"}
the second: [{"text":"a"},{"text":"long"}]
no object: [{"text":"a"},1]
null: [null]
two: [{"count":"x"},{}]
more: {"text":"a","count":2,"other":{"id":1}}
text: "text"
lists: [[]]
number: 1`
  .split('\n')
  .map((line) => line.split(/: ?(.*)/) as [name: string, payload: string])
const json = { 'content-type': 'application/json' }
const toRequest = (payload: string): InjectOptions => (payload === '' ? {} : { headers: json, payload })

const form = (payload: string, type = 'application/x-www-form-urlencoded') => ({
  headers: { 'content-type': type },
  payload
})
const record = {
  type: 'object',
  required: ['text'],
  $defs: { tag: { type: 'string', minLength: 2 } },
  properties: {
    id: { type: 'integer', readOnly: true },
    ...body.properties,
    tags: { type: 'array', items: { $ref: '#/$defs/tag' } }
  }
}

t.test('resources: bodies, forms and queries', async (t) => {
  const rows: Record<string, unknown> = {}
  const library = z.object({ id: z.int(), text: z.string().refine(async (text) => text !== 'bad', 'It is bad') })
  const changed = { ...resource(record) } as Record<string, object>
  changed.create = { ...changed.create, body: { type: 'object', properties: { other: { type: 'integer' } } } }
  changed.find = { ...changed.find, querystring }
  const schemas = { resource: resource(record), library: resource(library, { readOnly: ['id'] }), changed }
  const own = (app: FastifyInstance) => app.setValidatorCompiler((() => () => ({ value: { x: 'own' } })) as never)
  for (const [name, schema] of Object.entries(schemas))
    for (const [host, prepare] of Object.entries({ '': Boolean, ', a validator of the application': own })) {
      const app = await create(object, { ...schema, find: { ...schema.find, headers }, publish: { body } }, prepare)
      const tell = async (what: string, request: InjectOptions) => {
        rows[`${name}${host}: ${what}`] = await ask(app, request)
      }
      for (const [kind, payload] of bodies) await tell(kind, toRequest(payload))
      for (const text of 'text=a&count=2 text=a&count=x text=a&tags=ab&tags=c text=bad text=  id=1&text=a&other=2'.split(
        ' '
      ))
        await tell(`form ${text}`, form(text))
      await tell('a form in capitals', form('text=a&count=2', 'Application/X-WWW-Form-URLencoded; charset=utf-8'))
      await tell('a good list', toRequest(JSON.stringify([{ text: 'a' }, { text: 'b' }])))
      await tell('bad and good', toRequest(JSON.stringify([{ text: 'bad' }, { text: 'good' }])))
      for (const query of ['', '?text=a', '?id=1&count[$gt]=2', '?id=x', '?none=1', '?page=3', '?page=6', '?$limit=a'])
        await tell(`find ${query}`, { method: 'GET', url: `/in${query}` })
      await tell('a header', { method: 'GET', headers: { 'x-own': 'a' } })
    }
  const shared = { type: 'object', properties: { text: { $ref: 'shared#' } } }
  const app = await create(object, resource(shared), (app) =>
    app.addSchema({ $id: 'shared', type: 'string', maxLength: 2 })
  )
  for (const text of ['ab', 'abc', 1])
    rows[`a shared schema, ${text}`] = await ask(app, toRequest(JSON.stringify({ text })))
  const warned = t.capture(console, 'warn')
  const loose = {
    type: 'object',
    properties: { text: { minLength: 1 }, pair: { items: [{ type: 'integer' }] }, count: { maximum: 1 } }
  }
  const odd = await create(object, resource(loose as never))
  rows['a schema without types'] = [
    await ask(odd, toRequest(JSON.stringify({ text: '', pair: [1, 'a'] }))),
    await ask(odd, toRequest(JSON.stringify({ count: 2 })))
  ]
  rows['what was warned of'] = warned()
  isKept(t, rows, 'test/server/whole-bodies-resource.txt')
})
