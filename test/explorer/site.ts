import '../support/auth-scrypt.js'
import swagger from '@fastify/swagger'
import { MemoryService, memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { BadRequest, type Id, resource } from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { openContext } from '../support/chromium.js'
import { toHash } from '../support/stored-password.js'

export const user = { email: 'ada@example.com', password: 'a long secret' }

const text = { type: 'string', minLength: 1 } as const
const post = {
  type: 'object',
  required: ['id', 'title'],
  properties: {
    id: { type: 'integer' },
    title: text,
    words: { type: 'integer' },
    isOpen: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    note: { type: ['string', 'null'] }
  }
} as const
const comment = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, text } } as const

class Posts extends MemoryService {
  async publish(id: Id) {
    return this._patch(id, { isOpen: true })
  }
  async count(data: unknown) {
    if (data === 7) throw new BadRequest('Not seven')
    return { posts: (await this.find({ paginate: false })).length, data }
  }
}

/** An application with the explorer: posts, their comments, and a login. */
export async function openSite(t: Test) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  const tags = [{ name: 'posts', description: 'What authors write.' }]
  await app.register(swagger, openapi({ info: { title: 'Blog', version: '1.0.0' }, tags }))
  await app.register(services)
  app.service('posts', new Posts({ startId: 1, paginate: { default: 10, max: 100 } }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'publish', 'count'],
    routes: { publish: 'POST /:id/publish' },
    schema: resource(post, {
      readOnly: ['id'],
      methods: {
        count: {
          body: { type: 'object', additionalProperties: true },
          response: { type: 'object', properties: { posts: { type: 'integer' } } }
        }
      }
    }),
    hooks: { around: { remove: [authenticate('jwt')] } }
  })
  app.service('posts/:post/comments', memory({ startId: 1 }), { schema: resource(comment, { readOnly: ['id'] }) })
  // Of this one the document says nothing.
  app.service('loose', memory({ startId: 1 }))
  const users = app.service('users', memory({ startId: 1 }), { methods: [] })
  await app.register(authentication, { secret: 's'.repeat(32) })
  await app.register(explorer)
  await users.create({ ...user, password: toHash(user.password) })
  for (let number = 1; number <= 12; number++)
    await app
      .service('posts')
      .create({ title: `Post ${number}`, words: number * 10, isOpen: number % 2 === 0, tags: ['a'] })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, address }
}

/** A page of the explorer. What its console says is a failure, but that an answer was an error. */
export async function openExplorer(t: Test, address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await openContext(t, options)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('console', (message) => {
    if (/^Failed to load resource/.test(message.text())) return
    t.fail(`the console says: ${message.text()}`)
  })
  page.on('pageerror', (error) => t.fail(`an error on the page: ${error.message}`))
  await page.goto(`${address}/explorer`)
  return page
}
