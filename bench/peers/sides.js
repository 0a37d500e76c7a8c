// The same small API on each framework, as its documentation has one write it: `find`, `get` and `create` of messages that cost next to nothing.
import { once } from 'node:events'
import qs from 'qs'

/** Starts the API on 127.0.0.1, at a free port, and returns that. */
const sides = {
  async 'fastify-services'(messages) {
    const { default: Fastify } = await import('fastify')
    const { default: services } = await import('../../dist/index.js')
    const app = Fastify()
    await app.register(services)
    app.service('messages', messages)
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server.address().port
  },

  async 'Fastify by hand'(messages) {
    const { default: Fastify } = await import('fastify')
    const app = Fastify({ routerOptions: { querystringParser: (text) => qs.parse(text) } })
    app.get('/messages', async ({ query }) => messages.find({ query }))
    app.get('/messages/:id', async ({ params }) => messages.get(params.id))
    app.post('/messages', async ({ body }, reply) => {
      reply.code(201)
      return messages.create(body)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server.address().port
  },

  async 'NestJS on Fastify'(messages) {
    await import('reflect-metadata')
    const { Body, Controller, Get, Module, Param, Post, Query } = await import('@nestjs/common')
    const { NestFactory } = await import('@nestjs/core')
    const { FastifyAdapter } = await import('@nestjs/platform-fastify')
    class MessagesController {
      find(query) {
        return messages.find({ query })
      }
      get(id) {
        return messages.get(id)
      }
      create(data) {
        return messages.create(data)
      }
    }
    // As the decorators of TypeScript would.
    const decorate = (name, method, argument) => {
      method(MessagesController.prototype, name, Object.getOwnPropertyDescriptor(MessagesController.prototype, name))
      argument(MessagesController.prototype, name, 0)
    }
    decorate('find', Get(), Query())
    decorate('get', Get(':id'), Param('id'))
    decorate('create', Post(), Body())
    Controller('messages')(MessagesController)
    class AppModule {}
    Module({ controllers: [MessagesController] })(AppModule)
    const adapter = new FastifyAdapter({ routerOptions: { querystringParser: (text) => qs.parse(text) } })
    const app = await NestFactory.create(AppModule, adapter, { logger: false })
    await app.listen(0, '127.0.0.1')
    return app.getHttpServer().address().port
  },

  async Hono(messages) {
    const { Hono } = await import('hono')
    const { serve } = await import('@hono/node-server')
    const app = new Hono()
    app.get('/messages', async (c) => {
      const { url } = c.req
      const start = url.indexOf('?')
      return c.json(await messages.find({ query: start === -1 ? {} : qs.parse(url.slice(start + 1)) }))
    })
    app.get('/messages/:id', async (c) => c.json(await messages.get(c.req.param('id'))))
    app.post('/messages', async (c) => c.json(await messages.create(await c.req.json()), 201))
    return new Promise((resolve) => {
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
    })
  },

  async oRPC(messages) {
    const { createServer } = await import('node:http')
    const { os } = await import('@orpc/server')
    const { OpenAPIHandler } = await import('@orpc/openapi/node')
    const { z } = await import('zod')
    const router = {
      find: os.route({ method: 'GET', path: '/messages' }).handler(({ input }) => messages.find({ query: input })),
      get: os
        .route({ method: 'GET', path: '/messages/{id}' })
        .input(z.object({ id: z.string() }))
        .handler(({ input }) => messages.get(input.id)),
      create: os
        .route({ method: 'POST', path: '/messages', successStatus: 201 })
        .input(z.object({ text: z.string(), status: z.string() }))
        .handler(({ input }) => messages.create(input))
    }
    const handler = new OpenAPIHandler(router)
    return listen(
      createServer(async (request, response) => {
        const { matched } = await handler.handle(request, response)
        if (!matched) response.writeHead(404).end()
      })
    )
  },

  async tRPC(messages) {
    const { initTRPC } = await import('@trpc/server')
    const { createHTTPServer } = await import('@trpc/server/adapters/standalone')
    const { z } = await import('zod')
    const t = initTRPC.create()
    const router = t.router({
      find: t.procedure.input(z.looseObject({})).query(({ input }) => messages.find({ query: input })),
      get: t.procedure.input(z.string()).query(({ input }) => messages.get(input)),
      create: t.procedure
        .input(z.object({ text: z.string(), status: z.string() }))
        .mutation(({ input }) => messages.create(input))
    })
    return listen(createHTTPServer({ router }))
  },

  async 'Express 5'(messages) {
    const { default: express } = await import('express')
    const app = express()
    app.set('query parser', 'extended')
    app.use(express.json())
    app.get('/messages', async ({ query }, response) => response.json(await messages.find({ query })))
    app.get('/messages/:id', async ({ params }, response) => response.json(await messages.get(params.id)))
    app.post('/messages', async ({ body }, response) => response.status(201).json(await messages.create(body)))
    const { createServer } = await import('node:http')
    return listen(createServer(app))
  },

  async 'Elysia on Node'(messages) {
    const { Elysia } = await import('elysia')
    const { node } = await import('@elysiajs/node')
    const app = new Elysia({ adapter: node() })
      .get('/messages', ({ request: { url } }) => {
        const start = url.indexOf('?')
        return messages.find({ query: start === -1 ? {} : qs.parse(url.slice(start + 1)) })
      })
      .get('/messages/:id', ({ params }) => messages.get(params.id))
      .post('/messages', ({ body, status }) => messages.create(body).then((record) => status(201, record)))
    // It tells the port that it was given.
    const { createServer } = await import('node:net')
    const other = createServer()
    const port = await listen(other)
    other.close()
    await once(other, 'close')
    return new Promise((resolve) => {
      app.listen({ port, hostname: '127.0.0.1' }, () => resolve(port))
    })
  },

  async 'Feathers on Koa'(messages) {
    const { feathers } = await import('@feathersjs/feathers')
    const { bodyParser, koa, rest } = await import('@feathersjs/koa')
    const app = koa(feathers())
    app.use(bodyParser())
    app.configure(rest())
    app.use('messages', messages)
    return portOf(await app.listen(0, '127.0.0.1'))
  },

  async 'Feathers on Express'(messages) {
    const { feathers } = await import('@feathersjs/feathers')
    const { default: express, json, rest } = (await import('@feathersjs/express')).default
    const app = express(feathers())
    app.use(json())
    app.configure(rest())
    app.use('messages', messages)
    return portOf(await app.listen(0, '127.0.0.1'))
  }
}

const listen = (server) => portOf(server.listen(0, '127.0.0.1'))

const portOf = async (server) => {
  if (!server.listening) await once(server, 'listening')
  return server.address().port
}

export const names = Object.keys(sides)

/** A request, and how the record is read from the answer. */
const query = 'status[$ne]=done&$limit=10&$sort[createdAt]=-1'
const record = JSON.stringify({ text: 'A new message of a usual length', status: 'open' })
const inputOf = (value) => encodeURIComponent(JSON.stringify(value))
const rest = {
  get: { line: 'GET /messages/500', status: 200 },
  find: { line: `GET /messages?${query}`, status: 200 },
  create: { line: 'POST /messages', status: 201, body: record }
}
// It is no REST: each procedure has a URL, and each answer an envelope.
const rpc = {
  get: { line: `GET /get?input=${inputOf('500')}`, status: 200 },
  find: { line: `GET /find?input=${inputOf(qs.parse(query))}`, status: 200 },
  create: { line: 'POST /create', status: 200, body: record }
}

export const works = Object.keys(rest)

/** The request of a work to a side, and what its answer has to be, given the value. */
export const requestOf = (name, work) => (name === 'tRPC' ? rpc : rest)[work]
export const textOf = (name, value) => JSON.stringify(name === 'tRPC' ? { result: { data: value } } : value)

// A process of its own: it tells its port, and how much CPU time it has used.
if (process.send !== undefined && process.argv[2] !== undefined) {
  const { Messages } = await import('../../dist/bench/messages.js')
  const port = await sides[process.argv[2]](new Messages())
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send(user + system)
  })
  process.on('disconnect', () => process.exit())
  process.send(port)
}
