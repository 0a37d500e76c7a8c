import multipart from '@fastify/multipart'
import { memory } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import authentication, { authenticate, protect } from 'fastify-services/authentication'
import * as z from 'zod'
import { All, apiKey, type Given } from './app.js'

const [text, number] = [{ type: 'string' }, { type: 'integer' }]
const record = { type: 'object', required: ['id', 'title'], properties: { id: number, title: text } }
const other = { type: 'object', properties: { other: text } }
const file = { type: 'string', contentMediaType: 'image/png' }
const jpeg = { type: 'string', contentMediaType: 'image/jpeg' }
const all = ['find', 'get', 'create', 'update', 'patch', 'remove', 'publish', 'archive']
const six = all.slice(0, 6)

type Add = (app: FastifyInstance) => unknown

/** Services with options, by their paths: each is in a document of its own, or all in one. */
const add =
  (services: Record<string, readonly [options: object, settings?: object]>): Add =>
  async (app) => {
    await app.register(multipart)
    // It is about documents alone: whatever stands in a schema.
    app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
    for (const [path, [options, settings = {}]] of Object.entries(services))
      app.service(path, new All(options), settings as never)
  }
const get = (schema: object) => [{}, { methods: ['get'], schema: { get: schema } }] as const
const query = (querystring: object) =>
  [{ paginate: false }, { methods: ['find'], schema: { find: { querystring } } }] as const
const response = (response: unknown, more: object = {}) =>
  [
    { paginate: false, ...more },
    { methods: ['find', 'get', 'create', 'publish'], schema: { get: { response }, publish: { response } } }
  ] as const
const vowels = [
  'apples',
  'Eggs',
  'ice',
  'oxen',
  'uncles',
  'euros',
  'eulogies',
  'unions',
  'uses',
  'users',
  'utilities',
  'usual',
  'unsolved',
  'hours',
  'years',
  'umbrellas',
  'utes'
]

async function addUsers(app: FastifyInstance) {
  const users = (name: string) => ({ schema: { get: { response: { type: 'object', properties: { [name]: text } } } } })
  app.service('users', memory(), users('outer'))
  await app.register(
    async (child) => {
      child.service('users', memory(), users('inner'))
      await child.register(authentication, { secret: 'x'.repeat(64) })
    },
    { prefix: '/v1' }
  )
}

async function addGuarded(app: FastifyInstance) {
  const strategies = { jwt: true, apiKey } as const
  app.service('users', memory(), {
    schema: { get: { response: { ...record, properties: { ...record.properties, password: text } } } },
    hooks: { around: { all: [protect('password')] } } as never
  })
  await app.register(authentication, { secret: 'x'.repeat(64), strategies })
  app.service('posts', new All(), {
    methods: six,
    before: authenticate('jwt'),
    hooks: { around: { get: [authenticate('apiKey')], create: [authenticate('apiKey', 'jwt')] } } as never
  })
  app.service('notes', new All({ multi: true }), {
    methods: ['find', 'patch', 'publish'],
    schema: { patch: { security: [] } },
    hooks: { around: { all: [authenticate('jwt')] } } as never
  })
  const response = { 200: { type: 'object', properties: { kind: { const: 'a' } } } }
  app.get('/me', { schema: { security: [{ Own: [] }], operationId: 'findPosts', response } }, () => ({}))
}

/** Services of all kinds, by what their documents show. */
// biome-ignore format: a table
export const documents: Record<string, readonly [add: Add, given?: Given]> = {
  'calls for one and for many': [
    add(
      {
        ...{
          none: [{ multi: false }], all: [{ multi: true, paginate: { default: 5 } }],
          some: [{ multi: ['remove', 'find', 'get', 'update'] }], news: [{ multi: true, paginate: { max: 5 } }]
        },
        ...{
          '': [{ multi: ['create'], paginate: {} }], 'a/:b': [{ id: '_id', multi: 'patch', paginate: true }],
          ids: [{ id: 'title', paginate: false }, { schema: { get: { response: record } } }]
        }
      }
    )
  ],
  'words of operations': [add(Object.fromEntries(vowels.map((path) => [path, get({})]))), { options: { exposeHeadRoutes: true } }],
  'what schemas say': [
    add(
      {
        posts: [
          { multi: true },
          {
            methods: all, routes: { publish: 'POST /:id/publish/:edition' },
            schema: {
              find: {
                summary: 'Search', description: '', tags: ['a', 'b'], operationId: 'search', security: [{ Key: [] }, {}],
                deprecated: false, 'x-own': 1
              },
              get: { tags: [], deprecated: true, consumes: ['a/b'], produces: ['a/b', 'application/json', 'application/problem+json'] },
              create: { summary: 'Write', operationId: 'write', body: record, produces: ['application/x-ndjson'], security: [] },
              update: { body: record, consumes: ['application/json', 'multipart/form-data'], 'x-service': 'mine', summary: '' },
              patch: {
                summary: 'Edit', operationId: 'edit', body: { ...record, required: [] },
                response: { 200: other, 409: other, '4XX': other, '5xx': { type: 'null' }, default: text }
              },
              remove: {
                description: 'Away.', response: { 204: { type: 'null' }, 202: { type: 'null', description: 'Soon.' }, 404: other }
              },
              publish: { summary: 'Print', operationId: 'print', body: text, response: { 202: other, 201: record } },
              archive: {
                summary: 'Store', description: 'In a box.', tags: ['box'], body: other, deprecated: true,
                querystring: { properties: { a: text } }
              }
            }
          }
        ]
      }
    )
  ],
  'methods that a header names': [
    add(
      {
        ...{
          posts: [{ multi: ['archive'] }, { methods: ['publish', 'archive'], schema: { archive: { summary: 'Store' } } }],
          notes: [{}, { methods: all, schema: { create: { hide: true }, archive: { response: record, body: record } } }]
        },
        ...{
          hidden: [{}, { methods: ['create', 'publish', 'archive'], schema: { publish: { hide: true } } }],
          none: [{}, { methods: ['publish'], schema: { publish: { hide: true } } }]
        },
        'tags/:x': [{}, { methods: ['publish', 'archive'], routes: { publish: 'GET /' } }],
        'blog-posts/:id': [
          {}, { methods: ['publish', 'create'], routes: { publish: 'GET /' }, schema: { publish: { operationId: 'own' } } }
        ]
      }
    )
  ],
  results: [
    add(
      {
        ...{
          a: response(record), b: response(record, { paginate: { default: 1 }, multi: true }), c: response({ 200: record, 201: other }),
          d: response({ '2xx': record, 404: other }), e: response({})
        },
        ...{
          f: response({ default: record }), g: response({ type: 'null' }), h: response({ 299: record, 204: { type: 'null' } }),
          i: response({ $ref: '#/$defs/x', $defs: { x: record } }), j: response({ ...record, description: 'Of its own.' })
        },
        ...{
          k: [
            {},
            {
              methods: six,
              schema: {
                find: { response: record }, get: { response: other }, create: { response: { 201: record } }, patch: { response: {} },
                remove: { response: { 200: {} } }
              }
            }
          ]
        }
      }
    )
  ],
  'queries and placeholders': [
    add(
      {
        ...{
          a: query(
            {
              type: 'object', required: ['q', 'z'], properties: { q: text, r: number, $limit: number, z: { $ref: '#/definitions/z' } },
              definitions: { z: text }
            }
          ),
          b: query({ $ref: '#/$defs/q', $defs: { q: { type: 'object', properties: { q: text }, required: 'q' } } })
        },
        ...{
          c: query({ type: 'object' }), d: query({ type: 'object', properties: { 'a-b': text, aB: number, a_b: { type: 'boolean' } } }),
          e: query({ properties: { '': text, $: text } }), nested: query({ $ref: '#/$defs/q/x', $defs: { q: { properties: { q: text } } } }),
          zod: query(z.object({ q: z.string().default('a'), r: z.string() })),
          params: get({ params: z.object({ id: z.string().default('a').describe('Its own.') }) })
        },
        ...{
          'f/:a/g/:b': get(
            {
              params: {
                type: 'object', properties: { a: { ...number, description: 'Which a.' }, id: { type: 'string', format: 'uuid' } }
              }
            }
          ),
          'g/:a': [{}, { methods: ['find', 'get', 'publish'], routes: { publish: 'POST /:id/x/:y' } }],
          'h/:id/notes': [{}, { methods: ['find', 'get', 'publish'], routes: { publish: 'POST /:id/x/:y' } }]
        },
        ...{
          h: get({ response: { properties: { id: { type: 'number' } } } }),
          i: get({ response: { properties: { id: { type: 'boolean' } } } }), j: get({ response: { properties: { id: true } } }),
          k: get({ params: { properties: { id: { description: 'Own.' } } } })
        }
      }
    )
  ],
  'files and defaults': [
    add(
      {
        posts: [
          { multi: true },
          {
            methods: six,
            schema: {
              create: {
                body: {
                  type: 'object',
                  properties: {
                    title: text, one: file, two: { anyOf: [jpeg, { ...file }, { type: 'null' }] }, any: { format: 'binary' },
                    list: { type: 'array', items: jpeg }
                  }
                }
              },
              update: {
                body: { type: 'object', properties: { any: { type: 'string', format: 'binary' }, file } },
                consumes: ['multipart/form-data', 'image/png']
              },
              patch: {
                body: { type: 'object', required: ['a', 'b'], properties: { a: { default: 1 }, b: text } },
                consumes: ['application/merge-patch+json']
              }
            }
          }
        ],
        notes: [
          { multi: ['create'] },
          {
            methods: ['create', 'update', 'publish'],
            schema: { create: { body: record }, update: { body: record }, publish: { body: record } }
          }
        ]
      }
    )
  ],
  'users in two places': [addUsers],
  'another answer that defines a part': [
    add({ posts: get({ response: { 409: { properties: { why: { $ref: '#/$defs/reason' } }, $defs: { reason: text } } } }) })
  ],
  'guards, and fields that are kept back': [
    addGuarded,
    {
      document: {
        ...{
          servers: [{ url: '/v1' }], tags: [{ name: 'posts' }, { name: 'more', description: 'More.' }],
          paths: { '/own': { get: { operationId: 'getNote', responses: { 200: { description: 'It.' } } } } }
        },
        components: {
          schemas: { Post: text, Error: text } as never,
          responses: { Conflict: { description: 'Mine.' }, BadRequest: { description: 'Mine.' } },
          parameters: { UserQueryLimit: { name: 'x', in: 'query', schema: text } as never },
          securitySchemes: {
            Own: apiKey.describe?.().security as never,
            Bearer: { type: 'http', scheme: 'bearer', description: 'From the proxy.' }
          }
        }
      }
    }
  ]
}
