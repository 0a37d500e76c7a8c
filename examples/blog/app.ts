import multipart from '@fastify/multipart'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { own, within } from 'fastify-services/authentication'
import explorer from 'fastify-services/explorer'
import { memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import production, { serverOptions } from 'fastify-services/production'
import { isFree, withFields } from './hooks.js'
import { describePost, Posts } from './posts.js'
import * as records from './records.js'

const info = {
  title: 'Blog',
  version: '1.0.0',
  description: 'Posts with comments, by users who log in.',
  license: { name: 'MIT', identifier: 'MIT' }
}
const paginate = { default: 10, max: 100 }
// What anybody may read, and the sign-up.
const open = [
  'users.create',
  ...['posts', 'posts/:postId/comments', 'pictures'].flatMap((path) => [`${path}.find`, `${path}.get`])
]

/** A blog in memory. Without `logger`, nothing is logged, errors neither. */
export async function createBlog(secret: string | Buffer, logger = false): Promise<FastifyInstance> {
  const app = Fastify(serverOptions({ logger }))
  await app.register(production)
  await app.register(swagger, openapi({ info }))
  await app.register(multipart, { limits: { fileSize: 1_000_000 } })
  await app.register(services, { errorHandler: { html: false }, notFound: true })

  app.service('users', memory({ paginate }), {
    schema: { ...records.users, create: { ...records.users.create, summary: 'Sign up' } },
    hooks: {
      around: { all: [own('id', { except: ['create'] })] },
      before: { create: [isFree], patch: [isFree] }
    }
  })
  const ofAuthor = own('author', { except: ['find', 'get'] })
  const isNew = withFields((post) => ({ tags: [], published: false, ...post }))
  const described = withFields(describePost)
  app.service('posts', new Posts({ paginate, multi: ['create', 'patch', 'remove'] }), {
    schema: { ...records.posts, publish: { ...records.posts.publish, summary: 'Publish a post' } },
    hooks: {
      around: { all: [ofAuthor] },
      before: { create: [isNew, described], update: [isNew, described], patch: [described] }
    }
  })
  app.service('posts/:postId/comments', memory({ paginate }), {
    methods: ['find', 'get', 'create', 'remove'],
    schema: records.comments,
    hooks: { around: { all: [within('posts', { field: 'post' }), ofAuthor] } }
  })
  // The example keeps no files.
  const measured = withFields(({ file }) => ({ bytes: (file as File).size, file: undefined }))
  app.service('pictures', memory({ paginate }), {
    methods: ['find', 'get', 'create'],
    schema: { ...records.pictures, create: { ...records.pictures.create, summary: 'Upload a picture' } },
    hooks: { around: { all: [ofAuthor] }, before: { create: [measured] } }
  })
  await app.register(authentication, {
    secret,
    revocation: true,
    rateLimit: true,
    guard: 'jwt',
    public: open,
    strategies: { jwt: true, local: { usernameField: { name: 'email', normalize: 'lowercase' } } }
  })
  // Whoever opens it sees the whole document: a blog of your own may register it in development alone.
  await app.register(explorer)
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  return app
}
