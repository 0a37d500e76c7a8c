import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { resource } from 'fastify-services'
import t from 'tap'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { All, documentOf, operationsOf } from './app.js'

const fields = { count: Type.Integer() }
const answer = Type.Object(fields)
const successes = ({ responses }: { responses: object }) =>
  Object.keys(responses).filter((status) => status.startsWith('2'))

t.test('a custom method of a resource may answer 204 where its schema lets `null` pass', async (t) => {
  const rows: readonly (readonly [unknown, readonly string[]])[] = [
    [z.null(), ['204']],
    [z.undefined(), ['204']],
    [z.void(), ['204']],
    [Type.Null(), ['204']],
    [{ const: null }, ['204']],
    [type('null'), ['204']],
    [toStandardJsonSchema(v.null()), ['204']],
    [z.object({ count: z.int() }).nullable(), ['200', '204']],
    [z.unknown(), ['200', '204']],
    [Type.Union([answer, Type.Null()]), ['200', '204']],
    [{ ...answer, nullable: true }, ['200', '204']],
    [type({ count: 'number' }).or('null'), ['200', '204']],
    [toStandardJsonSchema(v.nullable(v.object({ count: v.number() }))), ['200', '204']],
    [z.object({ at: z.iso.datetime().transform((text) => text) }).nullable(), ['200', '204']],
    [answer, ['200']],
    [undefined, ['200']]
  ]
  for (const [index, [response, statuses]] of rows.entries()) {
    const count = { route: 'GET /count', ...(response !== undefined && { response }) } as const
    const schema = resource(z.object({ id: z.int() }), { methods: { count } })
    const document = await documentOf(t, (app) =>
      app.service('posts', { count: async () => null } as never, { schema: schema as never })
    )
    t.strictSame(successes(operationsOf(document)['GET /posts/count']), statuses, `row ${index}`)
  }
})

t.test('so may a method with a schema of its own', async (t) => {
  const nothing = Type.Null()
  const either = Type.Union([answer, nothing])
  const service = new All({ multi: true })
  const document = await documentOf(t, (app) => {
    app.addSchema({ $id: 'answer', ...either })
    app.service('posts', service, {
      methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'publish', 'archive'],
      routes: { publish: 'POST /:id/publish', archive: 'POST /archive' } as never,
      schema: {
        find: { response: either },
        get: { response: { $ref: 'answer#' } },
        create: { response: { 201: either, 202: either } },
        update: { response: { properties: fields } },
        patch: { response: either },
        remove: { response: nothing },
        archive: { response: either, produces: ['text/csv'] }
      }
    })
  })
  const operations = Object.entries(operationsOf(document))
  t.strictSame(Object.fromEntries(operations.map(([name, operation]) => [name, successes(operation)])), {
    'GET /posts': ['200'],
    'GET /posts/{id}': ['200', '204'],
    'POST /posts': ['201', '202', '204'],
    'PUT /posts/{id}': ['200'],
    'PATCH /posts': ['200'],
    'PATCH /posts/{id}': ['200', '204'],
    'DELETE /posts': ['204'],
    'DELETE /posts/{id}': ['204'],
    'POST /posts/{id}/publish': ['200', '204'],
    'POST /posts/archive': ['200']
  })
  t.strictSame(operationsOf(document)['DELETE /posts/{id}'].responses[204], { description: 'No Content' })
})
