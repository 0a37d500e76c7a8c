import { type } from 'arktype'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import * as z from 'zod'
import { arkSet, standardValibot as valibot, valibotSet, zodSet } from '../../support/server-set.js'

const set = { readOnly: true }
const iso = '2030-01-31T12:00:00.000Z'
const upper = <T extends { f: string }>(record: T): T => ({ ...record, f: record.f.toUpperCase() })
const isNot = (word: string) => async (value: unknown) => value !== word

/** A record with an `id`, which only the server sets, and a field, by library. */
const withField = {
  zod: (f: z.ZodType) => z.object({ id: z.int(), f }),
  valibot: (f: v.GenericSchema) => valibot(v.object({ id: v.number(), f })),
  arktype: (f: unknown) => type({ id: 'number.integer', f } as never)
}
const pair = {
  zod: z.object({ id: z.int(), f: z.string(), g: z.string() }),
  valibot: v.object({ id: v.number(), f: v.string(), g: v.string() })
}
const isSame = ({ f, g }: { f: string; g: string }) => f === g
const nested = {
  zod: z.object({ id: zodSet(), a: z.string().trim() }),
  valibot: v.object({ id: valibotSet(), a: v.pipe(v.string(), v.trim()) }),
  arktype: type({ id: arkSet(), a: 'string.trim' })
}

/** What is refused: at the start, or by a request. */
type Refusal = RegExp

interface Row {
  /** The schemas that write the construct, by library. */
  readonly schemas: { readonly [library: string]: unknown }
  readonly sent: object
  /** What `create` and `update` store. */
  readonly whole: object | Refusal
  /** What `patch` stores of the same body. */
  readonly part?: object | Refusal
  /** A text in a query, and the value that the service gets. */
  readonly asked?: readonly [text: string, value: unknown]
}

const onlyWhole = /can't check a part of a record.+transforms records as a whole.+Set the option `patch`/
const readsId = /one of its functions failed.+\(id\).+set the option `create`/
const inZod = (schema: unknown) => ({ zod: schema })

const rows: Readonly<Record<string, Row>> = {
  'a default': {
    schemas: {
      zod: withField.zod(z.int().default(3)),
      valibot: withField.valibot(v.optional(v.number(), 3)),
      arktype: withField.arktype('number = 3')
    },
    sent: {},
    whole: { f: 3 },
    part: /at least 1 field/,
    asked: ['5', 5]
  },
  'a default of a field that only the server sets': {
    schemas: {
      zod: z.object({ id: z.int(), f: z.string(), at: z.string().default('now').meta(set) }),
      valibot: valibot(
        v.object({ id: v.number(), f: v.string(), at: v.pipe(v.optional(v.string(), 'now'), v.metadata(set)) })
      ),
      arktype: type({
        id: 'number',
        f: 'string',
        at: type('string')
          .configure(set as object)
          .default('now')
      })
    },
    sent: { f: 'a' },
    whole: { f: 'a', at: 'now' },
    part: { f: 'a' }
  },
  'trimmed text': {
    schemas: {
      zod: withField.zod(z.string().trim()),
      valibot: withField.valibot(v.pipe(v.string(), v.trim())),
      arktype: withField.arktype('string.trim')
    },
    sent: { f: ' a ' },
    whole: { f: 'a' },
    asked: ['a', 'a']
  },
  'a transformation': {
    schemas: {
      zod: withField.zod(z.string().transform((text) => text.length)),
      valibot: withField.valibot(
        v.pipe(
          v.string(),
          v.transform((text) => text.length)
        )
      ),
      arktype: withField.arktype(type('string').pipe((text) => text.length))
    },
    sent: { f: 'abc' },
    whole: { f: 3 },
    asked: ['abc', 'abc']
  },
  'a text that is read as a number': {
    schemas: {
      zod: withField.zod(z.coerce.number()),
      valibot: withField.valibot(v.pipe(v.unknown(), v.transform(Number))),
      arktype: withField.arktype('string.numeric.parse')
    },
    sent: { f: '5' },
    whole: { f: 5 }
  },
  'a codec': {
    schemas: inZod(
      withField.zod(
        z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() })
      )
    ),
    sent: { f: iso },
    whole: { f: new Date(iso) },
    asked: [iso, new Date(iso)]
  },
  'what runs before the check of a field': {
    schemas: inZod(withField.zod(z.preprocess((value) => String(value), z.string()))),
    sent: { f: 1 },
    whole: { f: '1' }
  },
  'an async check of a field': {
    schemas: {
      zod: withField.zod(z.string().refine(isNot('bad'), 'is taken')),
      valibot: valibot(
        v.objectAsync({
          id: v.number(),
          f: v.pipeAsync(v.string(), v.checkAsync<string, 'is taken'>(isNot('bad'), 'is taken'))
        })
      )
    },
    sent: { f: 'bad' },
    whole: /f: is taken/,
    part: /f: is taken/
  },
  'a check of the whole record': {
    schemas: {
      zod: pair.zod.refine(isSame, 'differ'),
      valibot: valibot(
        v.pipe(
          pair.valibot,
          v.check((record) => isSame(record), 'differ')
        )
      ),
      'valibot, of two fields': valibot(
        v.pipe(
          pair.valibot,
          v.forward(
            v.partialCheck([['f'], ['g']], (record) => isSame(record), 'differ'),
            ['g']
          )
        )
      )
    },
    sent: { f: 'a', g: 'b' },
    whole: /differ/,
    part: { f: 'a', g: 'b' }
  },
  'an async check of the whole record': {
    schemas: {
      zod: pair.zod.refine(async (record) => isSame(record), 'differ'),
      valibot: valibot(
        v.pipeAsync(
          v.objectAsync(pair.valibot.entries),
          v.checkAsync(async (record) => isSame(record), 'differ')
        )
      )
    },
    sent: { f: 'a', g: 'b' },
    whole: /differ/,
    part: { f: 'a', g: 'b' }
  },
  'a check of the whole record, in ArkType': {
    schemas: { arktype: type({ id: 'number', f: 'string', g: 'string' }).narrow((record) => isSame(record)) },
    sent: { f: 'a', g: 'b' },
    whole: /\(id\): ArkType drops the checks of \.narrow.+option `create`.+Book\.omit\('id'\)/,
    part: { f: 'a', g: 'b' }
  },
  'a check that reads a field that only the server sets': {
    schemas: {
      zod: withField.zod(z.string()).refine(({ id }) => id.toFixed() !== '9'),
      'zod, async': withField.zod(z.string()).refine(async ({ id }) => id.toFixed() !== '9'),
      valibot: valibot(
        v.pipe(
          v.object({ id: v.number(), f: v.string() }),
          v.check(({ id }) => id.toFixed() !== '9')
        )
      )
    },
    sent: { f: 'a' },
    whole: readsId,
    part: { f: 'a' }
  },
  'a check that reads a date that only the server sets': {
    schemas: inZod(
      z.object({ id: z.iso.datetime(), f: z.string() }).refine(({ id }) => new Date(id).toISOString() !== '9')
    ),
    sent: { f: 'a' },
    whole: readsId,
    part: { f: 'a' }
  },
  'a transformation of the whole record': {
    schemas: {
      zod: pair.zod.transform(upper),
      'zod, in place': pair.zod.overwrite(upper),
      'zod, by a pipe': pair.zod.pipe(pair.zod.extend({ f: z.string().toUpperCase() })),
      'zod, before the check': z.preprocess((record) => upper(record as { f: string }), pair.zod),
      'zod, in one branch': z.union([pair.zod.transform(upper), z.object({ id: z.int(), n: z.int() })]),
      valibot: valibot(v.pipe(pair.valibot, v.transform(upper)))
    },
    sent: { f: 'a', g: 'b' },
    whole: { f: 'A', g: 'b' },
    part: onlyWhole
  },
  'a transformation of the whole record, in ArkType': {
    schemas: { arktype: type({ id: 'number', f: 'string', g: 'string' }).pipe(upper) },
    sent: { f: 'a', g: 'b' },
    whole: /\(id\): ArkType leaves fields out of plain objects.+option `create`/,
    part: /\(id\): ArkType leaves fields out of plain objects.+option `patch`/
  },
  'an object with fields that only the server sets, and a list of them': {
    schemas: {
      zod: z.object({ id: z.int(), f: nested.zod, g: z.array(nested.zod) }),
      'zod, strict': z.strictObject({ id: z.int(), f: z.strictObject(nested.zod.shape), g: z.array(nested.zod) }),
      valibot: valibot(v.object({ id: v.number(), f: nested.valibot, g: v.array(nested.valibot) })),
      arktype: type({ id: 'number', f: nested.arktype, g: nested.arktype.array() }),
      'arktype, strict': type({ '+': 'reject', id: 'number', f: nested.arktype, g: nested.arktype.array() })
    },
    sent: { f: { a: ' x ' }, g: [{ a: ' y ' }] },
    whole: { f: { a: 'x' }, g: [{ a: 'y' }] }
  },
  'an object that is transformed, with a field that only the server sets': {
    schemas: {
      zod: withField.zod(nested.zod.transform(({ a }) => ({ a: `${a}!` }))),
      'zod, by a pipe': withField.zod(nested.zod.pipe(nested.zod.extend({ a: z.string().transform((a) => `${a}!`) }))),
      'zod, before the check': withField.zod(
        z.preprocess((value) => ({ a: `${Object(value).a.trim()}!` }), nested.zod)
      ),
      valibot: withField.valibot(
        v.pipe(
          nested.valibot,
          v.transform(({ a }) => ({ a: `${a}!` }))
        )
      )
    },
    sent: { f: { a: ' x ' } },
    whole: { f: { a: 'x!' } }
  }
}

const response = { type: 'object', additionalProperties: true } as never

type Method = 'create' | 'update' | 'patch' | 'find'

/** What a method gets of a client: its data, or its query. Or else why it gets none. */
async function given(schema: unknown, method: Method, sent: object | string, more: object = {}): Promise<unknown> {
  const app = Fastify()
  await app.register(services, { errorHandler: { html: false, logger: false } })
  let got: unknown
  const service = {
    [method]: async (...args: unknown[]) => {
      got = method === 'find' ? Object(args[0]).query : args.at(-2)
      return method === 'find' ? [] : {}
    }
  }
  try {
    const schemas = resource(schema as z.ZodObject, {
      readOnly: ['id'],
      ...(method !== 'find' && { response }),
      ...more
    })
    app.service('things', service as object, { schema: schemas as object })
    await app.ready()
    const url = method === 'find' ? `/things?f=${sent}` : method === 'create' ? '/things' : '/things/1'
    const verb = ({ create: 'POST', update: 'PUT', patch: 'PATCH', find: 'GET' } as const)[method]
    const { statusCode, payload } = await app.inject({
      method: verb,
      url,
      ...(typeof sent === 'object' && { payload: sent })
    })
    return statusCode < 300 ? got : JSON.parse(payload).message
  } catch (error) {
    return (error as Error).message
  } finally {
    await app.close()
  }
}

for (const [name, { schemas, sent, whole, part = whole, asked }] of Object.entries(rows))
  for (const [library, schema] of Object.entries(schemas))
    t.test(`${name}: ${library}`, async (t) => {
      t.match(await given(schema, 'create', sent), whole, 'create')
      t.match(await given(schema, 'update', sent), whole, 'update')
      t.match(await given(schema, 'patch', sent), part, 'patch')
      const isSet = /^id can not be set/
      const withId = { ...sent, id: 7 }
      if (!(whole instanceof RegExp)) t.match(await given(schema, 'create', withId), isSet)
      if (!(part instanceof RegExp)) t.match(await given(schema, 'patch', withId), isSet)
      if (asked !== undefined) t.strictSame(await given(schema, 'find', asked[0]), { f: asked[1] }, 'find')
    })

t.test('with the options that the errors name, all of them start', async (t) => {
  const create = z.object({ f: z.string().toUpperCase(), g: z.string() })
  const options = { create, patch: z.object({ f: z.string() }) }
  for (const [name, { schemas, whole, part }] of Object.entries(rows))
    if (whole === readsId || part === onlyWhole || name.endsWith('in ArkType'))
      for (const schema of Object.values(schemas)) {
        t.strictSame(await given(schema, 'create', { f: 'a', g: 'b' }, options), { f: 'A', g: 'b' }, name)
        t.strictSame(await given(schema, 'patch', { f: 'a' }, options), { f: 'a' }, name)
      }
})
