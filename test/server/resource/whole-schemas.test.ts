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

const usual = new Map([
  ['$eq $ne $lt $le $lte $gt $ge $gte $in $nin', 'compares'],
  ['$eq $ne $in $nin', 'equals']
])
const isUsual = ({ type, additionalProperties, minProperties = 1, ...more }: Schema) =>
  (type ?? 'object') === 'object' && !additionalProperties && minProperties === 1 && Object.keys(more).length === 0
const isStandard = (name: string, properties: object) =>
  ['$or', '$and', '$skip'].includes(name) && JSON.stringify(properties[name as keyof object]) === standard[name]
const standard: Readonly<Record<string, string>> = {
  $or: '{"type":"array","items":{"type":"object"}}',
  $and: '{"type":"array","items":{"type":"object"}}',
  $skip: '{"type":"integer","minimum":0,"maximum":2147483647}'
}

/** The names in a `$sort` or a `$select`, where it says nothing else of them. */
function namesOf(schema: Schema): string | undefined {
  const names: string[] = Object(schema.items).enum ?? Object.keys(Object(schema.properties))
  const directions = Object.fromEntries(names.map((name) => [name, { type: 'integer', enum: [1, -1] }]))
  const usualSchemas = [
    { type: 'object', properties: directions, additionalProperties: false },
    { type: 'array', items: { type: 'string', enum: names } }
  ]
  return usualSchemas.some((one) => JSON.stringify(one) === JSON.stringify(schema)) ? names.join(' ') : undefined
}

/** The schema of a query in few words: of each field its value where bodies have another, its operators, and what those hold that is another. */
function queryOf({ querystring: { properties, ...rest } }: Method, bodyFields: Schema) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const [value, { properties: operators = {}, ...more }] = schema.anyOf ?? [schema, {} as { properties: Schema }]
    const plain = new Set([JSON.stringify(value), JSON.stringify({ type: 'array', items: value })])
    const others = Object.entries(operators).filter(([, one]) => !plain.has(JSON.stringify(one)))
    const names = Object.keys(operators).join(' ')
    const isOwn = JSON.stringify(value) !== JSON.stringify(bodyFields[name])
    return [
      name,
      [
        ...(isOwn ? [value] : []),
        ...(names === '' ? [] : [usual.get(names) ?? names]),
        ...(others.length === 0 ? [] : [Object.fromEntries(others)]),
        ...(isUsual(more) ? [] : [more])
      ]
    ] as const
  })
  const asInBodies = fields.filter(([, said]) => JSON.stringify(said) === '["compares"]').map(([name]) => name)
  const others = fields
    .filter(([name]) => !asInBodies.includes(name) && !isStandard(name, properties))
    .map(([name, said]) => [name, namesOf(Object(properties[name])) ?? said])
  return { ...(!isUsual(rest) && rest), 'as in bodies': asInBodies.join(' '), ...Object.fromEntries(others) }
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
    // What other methods take than `find`: the same names but for the pages, or what differs from it.
    const [whole, ...others] = [
      ...new Set(
        [find, get, create, update, patch, remove].map(({ querystring }) =>
          Object.keys(querystring.properties).join(' ')
        )
      )
    ]
    t.ok(whole)
    kept[name] = {
      create: create.body,
      ...(!same(create.body, update.body) && { update: beside(update.body, create.body) }),
      patch: beside(patch.body, create.body),
      response: beside(find.response, create.body),
      query: queryOf(find, Object(create.body?.properties)),
      others: others.join(' | ')
    }
  }
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
