import '../support/auth-scrypt.js'
import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { resource } from 'fastify-services'
import authentication, { authenticate, JwtStrategy } from 'fastify-services/authentication'
import t from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { isKept } from '../support/kept.js'
import { All, apiKey, documentOf } from './app.js'

const Author = Type.Object(
  {
    id: Type.Integer({ readOnly: true }),
    name: Type.String({ minLength: 1, description: 'As it is printed.' }),
    email: Type.Optional(Type.String({ format: 'email' })),
    pin: Type.String({ writeOnly: true })
  },
  { description: 'Who writes.' }
)
const Post = z.object({
  id: z.uuid(),
  title: z.string().min(1).max(80),
  kind: z.enum(['note', 'page']),
  tags: z.array(z.string()).default([]),
  rank: z.union([z.int(), z.null()]).optional(),
  place: z.object({ lat: z.number(), lon: z.number() }).optional()
})
const Node = {
  type: 'object',
  $defs: { node: { type: 'object', properties: { text: { type: 'string' }, next: { $ref: '#/$defs/node' } } } },
  properties: { id: { type: 'string', format: 'uuid' }, first: { $ref: '#/$defs/node' }, root: { $ref: '#' } },
  required: ['id']
}
const Picture = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string' },
    file: { type: 'string', contentMediaType: 'image/png' },
    more: { type: 'array', items: { type: 'string', format: 'binary' } }
  }
}
const search = {
  type: 'object',
  required: ['q'],
  properties: {
    q: { type: 'string', description: 'What to look for.' },
    since: { anyOf: [{ type: 'integer' }, { type: 'object', properties: { $gt: { type: 'integer' }, $in: {} } }] },
    ids: { type: 'array', items: { type: 'integer' } },
    $sort: { type: 'object', properties: { rank: { type: 'integer' } } },
    $limit: { type: 'integer', maximum: 50, default: 10 }
  }
}

async function addAll(app: FastifyInstance) {
  await app.register(multipart)
  app.service('authors', new All({ paginate: { default: 10 } }), {
    schema: resource(Author, { sort: ['name'] }) as never
  })
  app.service('blog-posts', new All({ paginate: false, multi: true }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'publish', 'archive'],
    routes: { publish: 'POST /:id/publish/:edition' } as never,
    schema: resource(Post, { readOnly: ['id'], operators: { title: ['$like'] } as never }) as never,
    hooks: { around: { create: [authenticate('jwt', 'apiKey')], remove: [authenticate('jwt')] } } as never
  })
  app.service('authors/:authorId/nodes', new All(), {
    methods: ['find', 'get', 'create'],
    schema: {
      find: { querystring: search, summary: 'Search', tags: ['reading'], deprecated: true } as never,
      get: {
        response: { 200: { ...Node, description: 'The node.' }, 409: { type: 'object', description: 'Locked.' } }
      },
      create: {
        body: { ...Node, properties: { first: Node.properties.first } },
        response: { '2xx': Node, default: { type: 'null' } }
      }
    }
  })
  app.service('pictures', new All(), {
    methods: ['find', 'get', 'create', 'patch', 'archive', 'publish'],
    schema: {
      find: { produces: ['application/json', 'application/x-ndjson'] },
      get: { produces: ['image/png'] },
      create: { body: Picture },
      patch: { body: { type: 'object', properties: { title: { type: 'string' } } }, hide: true },
      archive: { body: { type: 'object', properties: { why: { type: 'string', nullable: true } } } }
    }
  })
  await app.register(async (child) => void child.service('authors', new All({ multi: ['create'] })), { prefix: '/v2' })
  const strategies = { jwt: true, local: true, apiKey, proxy: new JwtStrategy({ header: 'X-Token' }) } as const
  await app.register(authentication, { secret: 'x'.repeat(64), service: 'authors', refresh: true, strategies })
  app.get('/health', { schema: { summary: 'Its own' } }, () => 'fine')
}

t.test('a document to the last word', async (t) => {
  const document = await documentOf(t, addAll, {
    document: { tags: [{ name: 'authors', description: 'They write.' }] }
  })
  isKept(t, document, 'test/openapi/whole.txt')
})
