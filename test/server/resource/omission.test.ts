import { scope, type } from 'arktype'
import { resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'
import { arkSet, standardValibot as valibot, valibotSet, zodSet } from '../../support/server-set.js'

const set = { readOnly: true }

/** Schemas with fields `x` that only the server sets, bodies that are taken, and bodies that are not. */
interface Row {
  readonly schema: unknown
  readonly options?: object
  readonly taken: readonly object[]
  readonly refused: readonly (readonly [body: object, message: string | RegExp])[]
}

const size = z.object({ x: z.int(), y: z.string() })
const zodKinds = [
  z.object({ kind: z.literal('a'), x: zodSet() }),
  z.object({ kind: z.literal('b'), x: z.int() })
] as const
const valibotKinds = [
  v.object({ kind: v.literal('a'), x: valibotSet() }),
  v.object({ kind: v.picklist(['b', 'c']), x: v.number() })
] as const
const ofKinds = {
  taken: [{ kind: 'a' }, { kind: 'b', x: 1 }],
  refused: [
    [{ kind: 'a', x: 1 }, 'x can not be set'],
    [{ kind: 'b' }, 'x is required']
  ]
} as const
const inside = {
  taken: [{ f: { k: { y: 'a' } } }],
  refused: [
    [{ f: { k: { y: 'a', x: 1 } } }, 'f.k.x can not be set'],
    [{ f: { k: {} } }, 'f.k.y is required']
  ]
} as const

const rows: Readonly<Record<string, Row>> = {
  'a branch of zod': { schema: z.discriminatedUnion('kind', zodKinds), ...ofKinds },
  'a branch of zod whose union does not name the tag': { schema: z.union(zodKinds), ...ofKinds },
  'a branch of Valibot': { schema: valibot(v.variant('kind', valibotKinds)), ...ofKinds },
  'a branch of a branch': {
    schema: z.discriminatedUnion('kind', [
      z.discriminatedUnion('sort', [
        z.object({ kind: z.literal('a'), sort: z.literal(1), x: zodSet() }),
        z.object({ kind: z.literal('a'), sort: z.literal(2), x: z.int() })
      ]),
      z.object({ kind: z.literal('b'), x: zodSet() })
    ]),
    taken: [{ kind: 'a', sort: 1 }, { kind: 'a', sort: 2, x: 1 }, { kind: 'b' }],
    refused: [
      [{ kind: 'a', sort: 1, x: 1 }, 'x can not be set'],
      [{ kind: 'a', sort: 2 }, 'x is required']
    ]
  },
  'one branch without a tag': {
    schema: z.union([z.object({ x: zodSet(), y: z.string() }), z.object({ x: z.int(), w: z.string() })]),
    taken: [{ y: 'a' }, { w: 'a' }],
    refused: [[{ w: 'a', x: 1 }, 'x can not be set']]
  },
  'an intersection with a union of zod': {
    schema: z.intersection(
      z.object({ at: zodSet(), y: z.object({ at: zodSet() }) }),
      z.discriminatedUnion('kind', zodKinds)
    ),
    options: { patch: z.object({}) },
    taken: [
      { kind: 'a', y: {} },
      { kind: 'b', y: {}, x: 1 }
    ],
    refused: [
      [{ kind: 'a', y: {}, at: 1 }, 'at can not be set'],
      [{ kind: 'b', y: {} }, 'x is required'],
      [{ kind: 'a', y: { at: 1 } }, 'y.at can not be set']
    ]
  },
  'an intersection with a union of Valibot': {
    schema: valibot(v.intersect([v.object({ at: valibotSet() }), v.variant('kind', valibotKinds)])),
    options: { patch: z.object({}) },
    taken: [{ kind: 'a' }, { kind: 'c', x: 1 }],
    refused: [
      [{ kind: 'a', x: 1 }, 'x can not be set'],
      [{ kind: 'b', at: 1, x: 1 }, 'at can not be set']
    ]
  },
  'one schema at two places, one of which is flagged': {
    schema: z.object({ own: size, f: z.intersection(size, z.object({ x: zodSet() })) }),
    taken: [{ own: { x: 1, y: 'a' }, f: { y: 'a' } }],
    refused: [
      [{ own: { y: 'a' }, f: { y: 'a' } }, 'own.x is required'],
      [{ own: { x: 1, y: 'a' }, f: { x: 1, y: 'a' } }, 'f.x can not be set']
    ]
  },
  'further fields of zod': {
    schema: z.object({ f: z.object({}).catchall(z.object({ x: zodSet(), y: z.string() })) }),
    ...inside
  },
  'values of a pattern of zod': {
    schema: z.object({ f: z.looseRecord(z.string().regex(/^k$/), z.object({ x: zodSet(), y: z.string() })) }),
    ...inside
  },
  'values of an enum of zod': {
    schema: z.object({ f: z.record(z.enum(['k']), z.object({ x: zodSet(), y: z.string() })) }),
    ...inside
  },
  'further fields of Valibot': {
    schema: valibot(v.object({ f: v.objectWithRest({}, v.object({ x: valibotSet(), y: v.string() })) })),
    ...inside
  },
  'a schema of Valibot that is made later': {
    schema: valibot(v.object({ f: v.object({ k: v.lazy(() => v.object({ x: valibotSet(), y: v.string() })) }) })),
    ...inside
  },
  'a module of ArkType': {
    schema: scope({ thing: { f: { k: 'size' } }, size: { x: arkSet(), y: 'string' } }).export().thing,
    ...inside
  },
  'all branches as a whole': {
    schema: z.object({
      y: z.string(),
      x: z.discriminatedUnion('kind', [zodKinds[0].meta(set), zodKinds[1].meta(set)])
    }),
    taken: [{ y: 'a' }],
    refused: [[{ y: 'a', x: { kind: 'b', x: 1 } }, 'x can not be set']]
  },
  'fields that one method may set': {
    schema: size,
    options: { readOnly: ['x'], settable: { create: ['x'] }, patch: z.object({}) },
    taken: [{ x: 1, y: 'a' }],
    refused: [[{ y: 'a' }, 'x is required']]
  }
}

for (const [name, { schema, options, taken, refused }] of Object.entries(rows))
  t.test(`server-set fields are left out: ${name}`, async (t) => {
    const { post, send } = await createEcho(t, resource(schema as z.ZodObject, options))
    for (const body of taken) {
      t.strictSame(await post(body), [201, body])
      if (options === undefined) t.strictSame(await send({ method: 'PATCH', url: '/1', payload: body }), [200, body])
    }
    for (const [body, message] of refused) t.match(await post(body), [400, message])
  })

const inner = v.object({ x: valibotSet(), y: v.string() })
const impossible: Readonly<Record<string, readonly [schema: unknown, message: RegExp]>> = {
  'a key of a record': [z.record(z.enum(['x', 'y']), z.string()), /\(x\): a record of zod asks for all of its keys/],
  'a fallback': [valibot(v.object({ f: v.fallback(inner, { x: 1, y: 'a' }) })), /\(x\): in 'f', v\.fallback\(\)/],
  'a message of the record': [valibot(v.message(inner, 'no')), /\(x\): the schema asks for them all the same/],
  'a pipe of Valibot with several schemas': [
    valibot(v.pipe(inner, v.transform(Object), inner)),
    /\(x\): Valibot does not show/
  ],
  'a branch of ArkType': [
    type({ kind: "'a'", x: arkSet() }).or({ kind: "'b'", x: 'number' }),
    /clients set 'x' in some branches/
  ],
  'an object of ArkType or null': [type({ f: type({ x: arkSet() }).or('null') }), /in 'f', ArkType.+plain objects/],
  'a check of ArkType': [
    type({ f: type({ x: arkSet(), y: 'string' }).narrow(() => true) }),
    /in 'f', ArkType drops the checks of \.narrow\(\)/
  ],
  'a recursive type of ArkType': [
    scope({ node: { x: arkSet(), 'nodes?': 'node[]' } }).export().node,
    /in 'nodes\[\]', ArkType.+Book\.omit\('id'\)/
  ],
  'further fields of ArkType': [
    type({ f: { '[string]': { x: arkSet() } } }),
    /in 'f', ArkType leaves no fields out of maps/
  ],
  'a list of ArkType with limits': [
    type({ f: type({ x: arkSet() }).array().atLeastLength(1) }),
    /in 'f', ArkType.+lists without other rules/
  ]
}

for (const [name, [schema, message]] of Object.entries(impossible))
  t.test(`the start asks for the option \`create\` where a field can not be left out: ${name}`, async (t) => {
    const options = {
      readOnly: name === 'a key of a record' ? ['x'] : [],
      patch: z.object({}),
      response: z.looseObject({ x: z.int() })
    }
    const { post } = await createEcho(t, resource(schema as z.ZodObject, options as object))
    await t.rejects(post({}), message)
    const { post: postOwn } = await createEcho(
      t,
      resource(schema as z.ZodObject, { ...options, create: z.object({ y: z.string() }) } as object)
    )
    t.strictSame(await postOwn({ y: 'a' }), [201, { y: 'a' }])
  })
