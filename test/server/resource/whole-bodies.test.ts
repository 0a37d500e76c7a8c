import { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { isKept } from '../../support/kept.js'
import { createAsk, grouped } from './whole.js'
import * as rows from './whole-body-rows.js'

const calls = [
  ['POST', ''],
  ['PUT', '/1'],
  ['PATCH', '/1']
] as const
const texts = { 'content-type': 'application/json' }

/** What becomes of a body; where one method gives the same as those before it, it is told once. */
async function told(ask: Awaited<ReturnType<typeof createAsk>>, name: string, body: unknown): Promise<unknown> {
  const found: Record<string, unknown> = {}
  for (const [method, id] of calls) {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body), headers: texts }
    const [status, ...rest] = await ask({ method, url: `/${name}${id}`, ...payload })
    // Without the id and the query.
    const told = status === 204 ? [rest.at(-2)] : [status, ...rest]
    const [same] = Object.entries(found).find(([, other]) => JSON.stringify(other) === JSON.stringify(told)) ?? []
    if (same !== undefined) delete found[same]
    found[same === undefined ? method : `${same} ${method}`] = told
  }
  return found['POST PUT PATCH'] ?? found
}

t.test('a field of each kind, with values that fit and others', async (t) => {
  const ask = await createAsk(t, { all: resource(rows.resources.all?.[0]) })
  const kept: Record<string, unknown> = {}
  for (const [name, [, ...values]] of Object.entries(rows.fields)) {
    const answers: Record<string, unknown> = {}
    for (const value of values) {
      const [status, ...rest] = await ask({ method: 'POST', url: '/all', payload: { [name]: value } })
      answers[JSON.stringify(value)] = status === 204 ? rest[0] : rest
    }
    kept[name] = grouped(answers, Array.isArray)
  }
  isKept(t, kept, 'test/server/resource/whole-bodies-fields.txt')
})

t.test('bodies of all methods', async (t) => {
  const schemas = Object.entries(rows.resources).map(([name, [schema, options]]) => [name, resource(schema, options)])
  const ask = await createAsk(t, Object.fromEntries(schemas))
  const kept: Record<string, unknown> = {}
  for (const [name, bodies] of rows.rows) {
    const answers: Record<string, unknown> = {}
    for (const body of bodies) answers[String(JSON.stringify(body))] = await told(ask, name, body)
    // What all methods refuse in the same words.
    kept[name] = grouped(answers, (answer) => Array.isArray(answer) && typeof answer[0] === 'number')
  }
  isKept(t, kept, 'test/server/resource/whole-bodies.txt')
})

t.test('forms', async (t) => {
  const ask = await createAsk(t, { forms: resource(rows.formSchema) })
  const kept: Record<string, unknown> = {}
  for (const payload of rows.forms) {
    const types = ['application/x-www-form-urlencoded', 'APPLICATION/x-www-form-urlencoded; charset=utf-8']
    const answers = await Promise.all(
      types.map((type) => ask({ method: 'POST', url: '/forms', payload, headers: { 'content-type': type } }))
    )
    t.strictSame(answers[0], answers[1], 'a type is a type in any case')
    kept[payload] = answers[0]
  }
  isKept(t, kept, 'test/server/resource/whole-bodies-forms.txt')
})

type Value = Record<string, unknown>
const jsonSchema = (properties: Record<string, object>, required: string[]) => () => ({
  type: 'object',
  properties,
  required
})

/** A library that keeps what its check gets, and answers what it is told to. */
function createLibrary(
  fields: Record<string, object>,
  answer: (value: Value, seen: Value[]) => unknown,
  options: object = {}
) {
  const seen: Value[] = []
  const json = jsonSchema(fields, Object.keys(fields))
  const validate = (value: Value) => answer(value, seen)
  const schema = { '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: json, output: json } } }
  return resource(schema as object, options)
}

const samples: Record<string, object> = {
  ...Object.fromEntries(
    'date-time date time email uri uuid ipv4'.split(' ').map((format) => [format, { type: 'string', format }])
  ),
  ...Object.fromEntries('string integer number boolean array object null'.split(' ').map((type) => [type, { type }])),
  long: { type: 'string', minLength: 4 },
  none: { type: 'string', minLength: 0 },
  least: { type: 'integer', minimum: 7 },
  leastNumber: { type: 'number', minimum: -0.5 },
  first: { type: ['boolean', 'string'] },
  second: { type: ['null', 'boolean'] },
  kind: { type: 'string', enum: ['b', 'a'] },
  kinds: { anyOf: [{ const: 3 }, { const: 4 }] },
  any: {}
}

t.test('checks of a library: what they get, what they say, what they make of it', async (t) => {
  const seen: Value[] = []
  const sampled = createLibrary(
    { ...samples, a: {} },
    (value) => {
      seen.push(value)
      return { value }
    },
    { readOnly: Object.keys(samples) }
  )
  const answers: Record<string, unknown> = {
    one: { issues: [{ message: 'no' }] },
    empty: { issues: [{ message: 'no', path: [] }] },
    place: { issues: [{ message: 'no', path: ['a'] }] },
    deep: { issues: [{ message: 'no', path: ['a', 0, { key: 'b' }, { key: 1 }, '2'] }] },
    several: {
      issues: [{ message: 'no', path: ['a'] }, { message: 'nor', path: [{ key: 'b' }] }, { message: 'neither' }]
    },
    symbol: { issues: [{ message: 'no', path: [Symbol('s'), { key: Symbol('k') }] }] },
    none: { issues: [] },
    long: { issues: [{ message: 'no', path: ['k'.repeat(101)] }] },
    other: { value: { a: 2, b: [], c: undefined } },
    fails: null
  }
  const judge = ({ a }: Value) => {
    if (a === 'fails') throw new Error('The check has failed')
    return answers[String(a)] ?? { value: { a, size: 'made' } }
  }
  const parts = { a: {}, size: { default: 1 }, 'b c': {} }
  const schemas = {
    sampled,
    now: createLibrary({ a: {} }, judge),
    later: createLibrary({ a: {} }, async (value) => judge(value)),
    mixed: createLibrary({ a: {} }, (value) => (value.a === 'later' ? Promise.resolve({ value }) : judge(value))),
    patched: resource(
      { type: 'object', properties: parts },
      {
        patch: {
          '~standard': {
            version: 1,
            vendor: 'own',
            validate: judge,
            jsonSchema: { input: jsonSchema(parts, []), output: jsonSchema(parts, []) }
          }
        }
      }
    ),
    zod: resource(
      z
        .object({
          id: z.int(),
          a: z.string().trim().min(1),
          size: z.int().default(3),
          n: z.string().transform(Number).optional()
        })
        .refine(({ a }) => a !== 'x', 'not x'),
      {
        readOnly: ['id'],
        patch: z
          .object({ a: z.string().trim(), size: z.int().default(3), not: z.int().optional() })
          .refine(({ a }) => a !== 'x', { path: ['a'], message: 'not x' })
      }
    )
  }
  const ask = await createAsk(t, schemas)
  const kept: Record<string, unknown> = { first: await told(ask, 'sampled', { a: 1 }) }
  const bodies = [...Object.keys(answers), 1, null].map((a) => ({ a }))
  const batches = [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 'place' }],
    [{ a: 'one' }, { a: 'place' }],
    [{ a: 'later' }, { a: 1 }],
    [{ a: 1 }, { a: 'later' }],
    []
  ]
  for (const name of ['now', 'later', 'mixed', 'patched']) {
    const found: Record<string, unknown> = {}
    for (const body of [...bodies, { a: 1, size: 5 }, { size: 1 }, ...batches])
      found[JSON.stringify(body)] = await told(ask, name, body)
    kept[name] = found
  }
  const found: Record<string, unknown> = {}
  for (const body of [
    { a: ' y ' },
    { a: 'x' },
    { a: '' },
    { a: ' ' },
    { a: 'y', size: 3 },
    { a: 'y', n: '5' },
    { id: 1, a: 'y' },
    [{ a: 'y' }, { a: 'x' }],
    [{ a: 'y' }, {}]
  ])
    found[JSON.stringify(body)] = await told(ask, 'zod', body)
  isKept(
    t,
    { ...kept, samples: [seen.length, seen.at(-1)], zod: found },
    'test/server/resource/whole-bodies-checks.txt'
  )
})
