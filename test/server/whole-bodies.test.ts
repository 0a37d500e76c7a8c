import type { InjectOptions } from 'fastify'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { ask, create, keep, names } from './seen-service.js'

// Which bodies, queries and headers schemas let pass, and what becomes of them.

const object = Object.fromEntries(names.map((name) => [name, keep]))

const body = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', maxLength: 3 }, count: { type: 'integer', default: 1 } }
}
const querystring = { type: 'object', properties: { page: { type: 'integer', maximum: 5 } } }
const headers = { type: 'object', properties: { 'x-own': { type: 'integer' } } }
const params = { type: 'object', properties: { id: { type: 'integer' } } }
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

const byFunction =
  ({ schema }: { schema: unknown }) =>
  (value: unknown) =>
    (schema as (value: unknown) => unknown)(value)
const says = {
  true: () => true,
  false: () => false,
  error: () => ({ error: new Error('bad') }),
  undefined: () => undefined
}
const gives = { value: () => ({ value: { text: 'given' } }), nothing: () => ({ value: undefined }), object: () => ({}) }

t.test('records, batches, queries and headers by schemas', async (t) => {
  const rows: Record<string, unknown> = {}
  const schema = { body, querystring, headers }
  const app = await create(object, { create: schema, update: { body }, patch: { body, params }, publish: schema })
  for (const [name, payload] of bodies) {
    const request = toRequest(payload)
    rows[name] = await ask(app, request)
    rows[`${name}, a query`] = await ask(app, { ...request, url: '/in?page=6' })
    rows[`${name}, a header`] = await ask(app, { ...request, url: '/in?page=5', headers: { ...json, 'x-own': 'a' } })
    rows[`${name}, update`] = await ask(app, { ...request, method: 'PUT', url: '/in/1' })
    rows[`${name}, patch`] = await ask(app, { ...request, method: 'PATCH', url: '/in/a' })
    rows[`${name}, patch of many`] = await ask(app, { ...request, method: 'PATCH' })
    rows[`${name}, publish`] = await ask(app, { ...request, headers: { ...json, 'x-service-method': 'publish' } })
  }
  for (const [name, check] of Object.entries({ ...says, ...gives }))
    for (const part of ['body', 'querystring', 'headers']) {
      const schemas = { body: says.true, [part]: check }
      const app = await create(object, { create: schemas }, (app) => app.setValidatorCompiler(byFunction as never))
      for (const [kind, payload] of bodies.slice(0, 2))
        rows[`a validator of ${part} that says ${name}, ${kind}`] = await ask(app, {
          ...toRequest(payload),
          url: '/in?a=1'
        })
    }
  isKept(t, rows, 'test/server/whole-bodies.txt')
})
