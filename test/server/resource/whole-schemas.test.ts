import { resource } from 'fastify-services'
import t from 'tap'
import { isKept } from '../../support/kept.js'
import { outputFails, refused, rows } from './whole-schema-rows.js'

type Schema = Record<string, unknown>
interface Method {
  readonly querystring: { properties: Record<string, { anyOf?: [Schema, { properties: Schema }] }> }
  readonly body?: Schema
  readonly response: Schema
}
const make = (schema: unknown, options?: unknown) =>
  (resource as (schema: unknown, options?: unknown) => unknown)(schema, options) as Record<string, Method>

/** The schema of a query in few words: of each field its value, its operators by their names, and what those hold that is another. */
function queryOf({ querystring: { properties, ...rest } }: Method) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const [value, { properties: operators = {}, ...more }] = schema.anyOf ?? [schema, {} as { properties: Schema }]
    const plain = new Set([JSON.stringify(value), JSON.stringify({ type: 'array', items: value })])
    const others = Object.entries(operators).filter(([, one]) => !plain.has(JSON.stringify(one)))
    return [
      name,
      [value, Object.keys(operators).join(' '), ...(others.length === 0 ? [] : [Object.fromEntries(others)]), more]
    ]
  })
  return { ...rest, ...Object.fromEntries(fields) }
}

/** What a schema says otherwise than another one: of fields that are the same, nothing. */
function beside(schema: Schema = {}, other: Schema = {}): Schema {
  const isSame = (value: unknown, otherValue: unknown) => JSON.stringify(value) === JSON.stringify(otherValue)
  const entries = Object.entries(schema).filter(([key, value]) => !isSame(value, other[key]))
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (!['properties', 'definitions', '$defs'].includes(key)) return [key, value]
      const others = Object(other[key])
      const lacks = Object.keys(others).filter((name) => !Object.hasOwn(Object(value), name))
      const differing = Object.entries(Object(value)).filter(([name, field]) => !isSame(field, others[name]))
      return [key, { ...Object.fromEntries(differing), ...(lacks.length > 0 && { 'not there': lacks }) }]
    })
  )
}

t.test('schemas of all methods', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const [name, [schema, options]] of Object.entries(rows)) {
    const { find, get, create, update, patch, remove } = make(schema, options) as Record<
      'find' | 'get' | 'create' | 'update' | 'patch' | 'remove',
      Method
    >
    const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
    t.ok(
      [get, create, update, patch, remove].every(({ response }) => same(response, find.response)),
      name
    )
    kept[name] = {
      create: create.body,
      ...(!same(create.body, update.body) && { update: beside(update.body, create.body) }),
      patch: beside(patch.body, create.body),
      response: beside(find.response, create.body),
      query: queryOf(find),
      others: [get, create, update, patch, remove].map(({ querystring }) =>
        Object.keys(querystring.properties).join(' ')
      ),
      methods: [find, get, create, remove].map((one) => Object.keys(one).join(' '))
    }
  }
  const { find, patch } = make(...(rows.operators as [unknown, object]))
  kept['a query as it is'] = find?.querystring
  kept['that of a patch'] = patch?.querystring
  kept['of a library that knows one side'] = make(outputFails).get?.response
  isKept(t, kept, 'test/server/resource/whole-schemas.txt')
})

t.test('what is refused, and why', async (t) => {
  const kept = Object.entries(refused).map(([name, [schema, options]]) => {
    try {
      make(schema, options)
      return [name, 'is taken']
    } catch (error) {
      const { name: kind, message, cause } = error as Error
      return [name, kind, message, ...(cause === undefined ? [] : [(cause as Error).message])]
    }
  })
  isKept(t, kept, 'test/server/resource/whole-schemas-refused.txt')
})
