import { MemoryService } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import { type AroundHook, type Id, resource } from 'fastify-services'
import { allow } from 'fastify-services/authentication'
import t from 'tap'
import { z } from 'zod'
import { createApp } from './callers.js'

const Post = z.object({ id: z.int(), title: z.string(), salary: z.int().optional() })

class Posts extends MemoryService<{ id: number; title: string; salary?: number }> {
  async publish(id: Id) {
    return this._get(id)
  }
  async burn(id: Id) {
    return this._remove(id)
  }
}

function createPosts(): Posts {
  const posts = new Posts({ startId: 2 })
  posts.store = { 1: { id: 1, title: 'a', salary: 10 } }
  return posts
}

const declared = (allow?: readonly string[]) => ({
  schema: resource(Post, {
    readOnly: ['id'],
    methods: {
      publish: { route: 'POST /:id/publish', ...(allow && { allow }) },
      burn: { route: 'POST /:id/burn' }
    }
  })
})

const serve = (hooks: AroundHook[], roles?: readonly string[]) =>
  createApp(t, (app) => app.service('posts', createPosts(), { ...declared(roles), hooks: { around: { all: hooks } } }))

const readable = ['id', 'title']
const permissions = { admin: true, editor: { get: readable }, member: { find: true }, guest: false } as const
const as = (role: string) => ({ as: { id: 1, role }, body: {} })

t.test('roles whose permissions do not name a custom method have what its declaration says', async (t) => {
  const { send } = await serve([allow(permissions)], ['editor', 'guest'])
  const answers: [role: string, status: number][] = [
    ['admin', 200],
    ['editor', 200],
    ['member', 403],
    ['guest', 403],
    ['nobody', 403]
  ]
  for (const [role, status] of answers) t.equal((await send('POST', '/posts/1/publish', as(role))).status, status, role)
  t.equal((await send('POST', '/posts/1/publish', { body: {} })).status, 401, 'a caller without a login')
  t.strictSame(
    (await send('POST', '/posts/1/publish', as('editor'))).body,
    { id: 1, title: 'a' },
    'the record has the fields that the role may get'
  )
  t.match((await send('POST', '/posts/1/publish', as('member'))).body, {
    message: "'publish' of 'posts' is not for a user with the role 'member': it needs admin or editor"
  })
})

t.test('printServices names the roles of a declaration', async (t) => {
  const { app } = await serve([allow(permissions, { except: ['posts.get'] })], ['editor'])
  const lineOf = (method: string) =>
    app
      .printServices()
      .split('\n')
      .find((line) => line.includes(` ${method} `)) ?? ''
  t.match(lineOf('publish'), /admin, editor$/)
  t.match(lineOf('burn'), /admin$/)
  t.match(lineOf('get'), /anybody$/, 'an exception by its path')
})

t.test('permissions of all services know a declaration, under a prefix too', async (t) => {
  const options = { hooks: { around: { all: [allow(permissions)] } } }
  const add = async (app: FastifyInstance) =>
    app.register(async (child) => void child.service('posts', createPosts(), declared(['editor'])), { prefix: '/v1' })
  const { send } = await createApp(t, add, options)
  t.equal((await send('POST', '/v1/posts/1/publish', as('editor'))).status, 200)
  t.equal((await send('POST', '/v1/posts/1/publish', as('member'))).status, 403)
  t.equal((await send('POST', '/v1/posts/1/burn', as('editor'))).status, 403)
})

t.test('a method that nobody is told of stays closed', async (t) => {
  const { send } = await serve([allow(permissions)], ['editor'])
  for (const role of ['editor', 'member', 'guest'])
    t.equal((await send('POST', '/posts/1/burn', as(role))).status, 403, role)
  const silent = await serve([allow(permissions)])
  t.equal((await silent.send('POST', '/posts/1/publish', as('editor'))).status, 403)
})

t.test('permissions that name the method win over its declaration', async (t) => {
  const { send } = await serve(
    [allow({ closed: { publish: false }, unset: { publish: undefined }, title: { publish: ['title'], get: true } })],
    ['closed', 'unset', 'title']
  )
  t.equal((await send('POST', '/posts/1/publish', as('closed'))).status, 403)
  t.equal((await send('POST', '/posts/1/publish', as('unset'))).status, 403)
  t.strictSame((await send('POST', '/posts/1/publish', as('title'))).body, { title: 'a' })
})

t.test('each of several hooks must let a caller in', async (t) => {
  const ofTeam = allow({ lead: {}, mate: true }, { role: ({ team }) => team })
  const { send } = await serve([allow({ editor: {} }), ofTeam], ['editor', 'lead'])
  const status = async (user: object) =>
    (await send('POST', '/posts/1/publish', { as: { id: 1, ...user }, body: {} })).status
  t.equal(await status({ role: 'editor', team: 'lead' }), 200)
  t.equal(await status({ role: 'editor', team: 'mate' }), 200)
  t.equal(await status({ role: 'editor', team: 'other' }), 403)
  t.equal(await status({ role: 'lead', team: 'lead' }), 403)
})

t.test('a declaration that no hook enforces stops the start', async (t) => {
  const missing = /^The resource of 'posts' declares `allow` for 'publish', but no hook asks for a role: add allow\(/
  await t.rejects(serve([], ['editor']), missing)
  await t.rejects(serve([async (_context, next) => next()], ['editor']), missing)
  for (const name of ['posts', 'publish', 'posts.publish'])
    await t.rejects(serve([allow(permissions, { except: [name] })], ['editor']), missing, name)
  const ofBurn = { around: { burn: [allow(permissions)] } }
  await t.rejects(
    createApp(t, (app) => app.service('posts', createPosts(), { ...declared(['editor']), hooks: ofBurn })),
    missing
  )
  await t.rejects(
    serve([allow(permissions)], ['editr']),
    /declares `allow` for 'publish' with the role 'editr', which no allow\(\) there knows: admin, editor, member, guest\. Did you mean 'editor'\?$/
  )
})

t.test('a declared method that the option `methods` leaves out needs no hook, and is not there', async (t) => {
  const { send } = await createApp(t, (app) =>
    app.service('posts', createPosts(), { ...declared(['editor']), methods: ['get'] })
  )
  t.equal((await send('POST', '/posts/1/publish', as('editor'))).status, 404)
})
