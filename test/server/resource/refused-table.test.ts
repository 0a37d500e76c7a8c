import { readFileSync } from 'node:fs'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { scope, type } from 'arktype'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import * as z from 'zod'
import { arkSet, valibotSet, zodSet } from '../../support/server-set.js'

const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const hidden = object({ secret: { ...text, writeOnly: true } })
const serverSet = { properties: { secret: { readOnly: true } } }
const $defs = { Hidden: hidden }
const open = { additionalProperties: true }
const when = (test: object, then: object) => ({ if: test, then })
const inList = (items: object) => object({ deep: object({ list: { type: 'array', items } }) }, { $defs })
const leaf = (name: string) => object({ left: { $ref: '#/$defs/Node' }, [name]: text }, { required: [name] })

const ZodNode: z.ZodType = z.lazy(() =>
  z.union([
    z.object({ left: ZodNode.optional(), kind: z.literal('a') }),
    z.object({ left: ZodNode.optional(), kind: z.literal('b') })
  ])
)
const ValibotNode: v.GenericSchema = v.lazy(() =>
  v.union([
    v.object({ left: v.optional(ValibotNode), kind: v.literal('a') }),
    v.object({ left: v.optional(ValibotNode), kind: v.literal('b') })
  ])
)
const ArkNode = scope({ Node: 'A | B', A: { 'left?': 'Node', a: 'string' }, B: { 'left?': 'Node', b: 'string' } })

/** A definition at two places: the server sets `x` at `b` only. */
const R = { $ref: '#/$defs/R' }
const sharing = (a: object, rules: object = {}) =>
  object(
    { a, b: { allOf: [R, { properties: { x: { readOnly: true } } }] } },
    { $defs: { R: object({ x: text, z: text }, rules) } }
  )

/** What the error says to write instead, and schemas with the place that it names. */
const rows: readonly (readonly [write: string, schemas: readonly (readonly [schema: unknown, place: string])[]])[] = [
  [
    'Flag the field in `properties`',
    [
      [inList(when({ required: ['a'] }, hidden)), 'deep.list[].secret'],
      [object({ a: {} }, { ...when({ required: ['a'] }, {}), else: serverSet }), 'secret'],
      [object({ a: {} }, { dependentSchemas: { a: { $ref: '#/$defs/Hidden' } }, $defs }), 'secret'],
      [object({ a: {} }, { dependencies: { a: serverSet } }), 'secret'],
      [object({ a: { not: hidden } }), 'a.secret'],
      [object({ a: { type: 'array', contains: hidden } }), 'a[].secret'],
      [object({ a: { type: 'array', contains: { anyOf: [{ items: hidden }] } } }), 'a[][].secret']
    ]
  ],
  [
    'Use `additionalProperties`. Or leave it out: an object that names fields accepts no others',
    [
      [object({ a: { unevaluatedProperties: text } }), 'a'],
      [object({ a: { prefixItems: [text], unevaluatedItems: false } }), 'a'],
      [inList(object({ a: {} }, { anyOf: [object({ b: {} }), {}], unevaluatedProperties: false })), 'deep.list[]'],
      [object({ a: object({}, { ...when({}, object({ b: {} })), unevaluatedProperties: false }) }), 'a'],
      [object({ a: { allOf: [{ oneOf: [object({ b: {} })] }], unevaluatedProperties: text } }), 'a'],
      [object({ a: { dependentSchemas: { b: object({ c: {} }) }, unevaluatedProperties: text } }), 'a'],
      [object({ a: { anyOf: [{ prefixItems: [text] }], unevaluatedItems: false } }), 'a'],
      [object({ a: { allOf: [{ contains: text }], unevaluatedItems: { type: 'integer' } } }), 'a']
    ]
  ],
  [
    'Write `$ref`',
    [
      [inList({ $dynamicRef: '#node' }), 'deep.list[]'],
      [object({ next: { $recursiveRef: '#' } }), 'next']
    ]
  ],
  [
    "`z.discriminatedUnion('kind', […])` of zod, `v.variant('kind', […])` of Valibot, `required: ['kind']` beside `kind: { const: … }` in JSON Schema",
    [
      [object({ node: { $ref: '#/$defs/Node' } }, { $defs: { Node: { anyOf: [leaf('a'), leaf('b')] } } }), 'node'],
      [object({ node: { $ref: '#/$defs/Node' } }, { $defs: { Node: { oneOf: [leaf('a'), leaf('b')] } } }), 'node'],
      [z.object({ list: z.array(ZodNode) }), 'list[]'],
      [toStandardJsonSchema(v.object({ node: ValibotNode })), 'node'],
      [ArkNode.type({ node: 'Node' }), 'node'],
      [object({ any: { $ref: '#/$defs/Any' } }, { $defs: { Any: { anyOf: [[], text].map(anyList) } } }), 'any']
    ]
  ],
  [
    'Describe the field once',
    [
      [
        object({ f: { $ref: '#/$defs/Self' } }, { $defs: { Self: selfWith(when({ required: ['x'] }, within())) } }),
        'f'
      ],
      [object({ f: { $ref: '#/$defs/Self' } }, { $defs: { Self: selfWith(when(within(), {})) } }), 'f'],
      [object({ f: { $ref: '#/$defs/Self' } }, { $defs: { Self: selfWith({ dependencies: { x: within() } }) } }), 'f'],
      [object({ f: { $ref: '#/$defs/Self' } }, { $defs: { Self: selfWith({ anyOf: [within(), text] }) } }), 'f'],
      [
        object({ f: { $ref: '#/$defs/Self' } }, { $defs: { Self: selfWith({ allOf: [{ else: within(), if: {} }] }) } }),
        'f'
      ]
    ]
  ],
  [
    'Flag the field in the definition, or write a definition for each place',
    [
      [sharing(R), 'a'],
      [sharing({ type: 'array', items: R }), 'a[]'],
      [sharing({ anyOf: [R, object({ q: text }, { required: ['q'] })] }), 'a'],
      [sharing(when({ required: ['z'] }, R)), 'a'],
      [sharing({ dependentSchemas: { k: R } }), 'a'],
      [sharing({ type: 'array', contains: R }), 'a[]'],
      [sharing({ not: R }), 'a'],
      [sharing(object({}, { allOf: [R] }), { minProperties: 2 }), 'a'],
      [
        object(
          { a: { allOf: [R, { properties: { x: { writeOnly: true } } }] }, b: R },
          { $defs: { R: object({ x: text }) } }
        ),
        'b'
      ],
      [
        object({
          a: {
            patternProperties: {
              '^a': object({ id: { readOnly: true } }),
              z$: object({ id: text }, { required: ['id'] })
            }
          }
        }),
        'a.z$'
      ]
    ]
  ],
  ['Set the option `patch`', [[z.object({ a: z.string() }).transform(({ a }) => ({ a })), '']]],
  [
    'Set the option `create`',
    [
      [type({ d: type({ x: arkSet(), a: 'string' }).narrow(() => true) }), 'd'],
      [type({ d: type({ x: arkSet(), a: 'string' }).or('null') }), 'd'],
      [type({ d: [{ x: arkSet() }, 'number'] }), 'd'],
      [type({ d: { '[string]': { x: arkSet() } } }), 'd'],
      [scope({ node: { x: arkSet(), 'nodes?': 'node[]' } }).export().node, 'nodes[]'],
      [toStandardJsonSchema(v.object({ d: v.fallback(v.object({ x: valibotSet() }), { x: 1 }) })), 'd'],
      [
        z.object({
          d: z
            .object({ x: zodSet() })
            .transform(Object)
            .pipe(z.object({ x: z.int() }))
        }),
        'd'
      ]
    ]
  ],
  ['Put the schema itself in its place, or into `$defs`', [[inList({ $ref: 'shared#' }), 'shared#']]],
  [
    'Set the options `create` and `patch`',
    [
      [
        object({ of: { anyOf: ['a', 'b'].map((kind) => object({ kind: { const: kind, readOnly: kind === 'a' } })) } }),
        'of'
      ],
      [
        z.object({
          list: z.array(
            z.discriminatedUnion('x', [z.object({ x: z.literal(1).readonly() }), z.object({ x: z.literal(2) })])
          )
        }),
        'list[]'
      ]
    ]
  ]
]

function within() {
  return { properties: { x: { $ref: '#/$defs/Self' } } }
}

function selfWith(more: object) {
  return object(within().properties, more)
}

function anyList() {
  return { type: 'array', items: { $ref: '#/$defs/Any' } }
}

const page = readFileSync('docs/resource.md', 'utf8')
const table = page.slice(page.indexOf('## Schemas that stop the start')).split('\n## ')[0] ?? ''

async function errorOf(schema: unknown): Promise<string> {
  const app = Fastify()
  try {
    await app.register(services)
    const write = async () => ({})
    const options = { response: object({ a: text }) }
    app.service('things', { create: write, patch: write } as object, {
      schema: resource(schema as object, options) as object
    })
    await app.ready()
    return 'it starts'
  } catch (error) {
    return (error as Error).message
  } finally {
    await app.close()
  }
}

for (const [write, schemas] of rows)
  t.test(`a schema that is refused: ${write}`, async (t) => {
    for (const [schema, place] of schemas) {
      const message = await errorOf(schema)
      t.match(
        message,
        new RegExp(`^things[:.].*${place === '' ? '' : `'${place.replace(/[[\]$]/g, '\\$&')}'`}`),
        'the service and the place'
      )
      t.ok(message.includes(write), `what to write: ${message}`)
    }
  })

t.test('the page says what the errors say', async (t) => {
  const cells = [...table.matchAll(/^\| .+ \| (.+) \|$/gm)].map(([, cell]) => cell)
  const shared = cells.filter((cell) => rows.some(([write]) => write === cell))
  t.equal(shared.length, 7, cells.join('\n'))
})

t.test('what looks alike, and starts', async (t) => {
  const branch = (kind: string, more: object = {}) =>
    object({ kind: { const: kind }, left: { $ref: '#/$defs/Node' }, ...more }, { required: ['kind'] })
  const union = { Node: { anyOf: [branch('a'), branch('b', { secret: { writeOnly: true } })] } }
  const schemas: readonly unknown[] = [
    // A discriminator that each branch requires.
    object({ node: { $ref: '#/$defs/Node' } }, { $defs: union }),
    // One branch leads back.
    object({ a: text, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    z.object({ data: z.json() }),
    // Conditions that exclude each other, and one on another field.
    object(
      { f: { $ref: '#/$defs/Self' } },
      {
        $defs: {
          Self: object(
            { kind: text },
            { allOf: ['a', 'b'].map((kind) => when({ properties: { kind: { const: kind } } }, within())) }
          )
        }
      }
    ),
    object(
      { f: { $ref: '#/$defs/Self' } },
      { $defs: { Self: selfWith(when(object({ a: text }), { minProperties: 1 })) } }
    ),
    // Flags beside a condition, in branches, and in rules for names.
    object({ a: {}, secret: { writeOnly: true } }, when({ required: ['a'] }, { required: ['secret'] })),
    object({ f: { anyOf: [hidden, object({ b: {} })] } }),
    object({ f: { patternProperties: { '^x-': { type: 'string', readOnly: true } } } }),
    // A closed intersection, and objects that take any further field.
    { allOf: [object({ a: {} }), object({ b: {} })], unevaluatedProperties: false },
    object({ f: { anyOf: [object({ a: {} }), object({ b: {} })], unevaluatedProperties: true } }),
    object({ f: { anyOf: [object({ a: {} }), object({ b: {} })], unevaluatedProperties: {}, unevaluatedItems: {} } }),
    object({ f: { properties: { a: {} }, anyOf: [object({ a: text }), {}], ...open } })
  ]
  for (const schema of schemas) t.equal(await errorOf(schema), 'it starts')
})
