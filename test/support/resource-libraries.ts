import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import { resource } from 'fastify-services'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'

const options = { readOnly: ['id'], writeOnly: ['secret'] } as const

/** A record, described by each library. */
export const records = {
  typebox: Type.Object({
    id: Type.Integer(),
    title: Type.String({ minLength: 1, maxLength: 20 }),
    body: Type.Optional(Type.String()),
    rating: Type.Number({ minimum: 0, maximum: 5 }),
    views: Type.Optional(Type.Integer({ minimum: 0 })),
    published: Type.Optional(Type.Boolean()),
    status: Type.Enum(['draft', 'final']),
    note: Type.Optional(Type.Union([Type.String({ maxLength: 5 }), Type.Null()])),
    parent: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 5 }), { maxItems: 3 })),
    code: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    email: Type.Optional(Type.String({ format: 'email' })),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    address: Type.Optional(Type.Object({ city: Type.String(), zip: Type.Optional(Type.Integer()) })),
    secret: Type.Optional(Type.String())
  }),
  zod: z.object({
    id: z.int(),
    title: z.string().min(1).max(20),
    body: z.string().optional(),
    rating: z.number().min(0).max(5),
    views: z.int().min(0).optional(),
    published: z.boolean().optional(),
    status: z.enum(['draft', 'final']),
    note: z.string().max(5).nullable().optional(),
    parent: z.int().nullable().optional(),
    tags: z.array(z.string().max(5)).max(3).optional(),
    code: z.union([z.number(), z.string()]).optional(),
    email: z.email().optional(),
    at: z.iso.datetime().optional(),
    address: z.object({ city: z.string(), zip: z.int().optional() }).optional(),
    secret: z.string().optional()
  }),
  valibot: toStandardJsonSchema(
    v.object({
      id: v.pipe(v.number(), v.integer()),
      title: v.pipe(v.string(), v.minLength(1), v.maxLength(20)),
      body: v.optional(v.string()),
      rating: v.pipe(v.number(), v.minValue(0), v.maxValue(5)),
      views: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
      published: v.optional(v.boolean()),
      status: v.picklist(['draft', 'final']),
      note: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(5)))),
      parent: v.optional(v.nullable(v.pipe(v.number(), v.integer()))),
      tags: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(5))), v.maxLength(3))),
      code: v.optional(v.union([v.number(), v.string()])),
      email: v.optional(v.pipe(v.string(), v.email())),
      at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
      address: v.optional(v.object({ city: v.string(), zip: v.optional(v.pipe(v.number(), v.integer())) })),
      secret: v.optional(v.string())
    })
  ),
  arktype: ark({
    id: 'number.integer',
    title: '1 <= string <= 20',
    'body?': 'string',
    rating: '0 <= number <= 5',
    'views?': 'number.integer >= 0',
    'published?': 'boolean',
    status: "'draft' | 'final'",
    'note?': 'string <= 5 | null',
    'parent?': 'number.integer | null',
    'tags?': '(string <= 5)[] <= 3',
    'code?': 'number | string',
    'email?': ark('string.email').configure({ format: 'email' } as object),
    'at?': ark('string.date.iso').configure({ format: 'date-time' } as object),
    'address?': { city: 'string', 'zip?': 'number.integer' },
    'secret?': 'string'
  })
}

/** The resource of each of them. */
export const resources = {
  typebox: resource(records.typebox, options),
  zod: resource(records.zod, options),
  valibot: resource(records.valibot, options),
  arktype: resource(records.arktype, options)
}
