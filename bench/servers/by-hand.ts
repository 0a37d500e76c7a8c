import fastifyJwt from '@fastify/jwt'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import qs from 'qs'
import { Messages, messageQuerySchema, messageSchema, newMessageSchema, PagedMessages } from '../messages.js'
import { tokenOptions, users } from '../users.js'

type WithId = { Params: { id: string } }

class NotFound extends Error {
  override readonly name = 'NotFound'
  readonly statusCode = 404
}

/** All works as routes that one writes without this package, with the same answers. */
export async function start(): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { querystringParser: (text) => qs.parse(text) } })
  await app.register(fastifyJwt, tokenOptions)
  app.setErrorHandler(async ({ name, message, statusCode: code }: NotFound, _request, reply) => {
    reply.code(code)
    return { name, message, code, className: 'not-found' }
  })
  // One plugin for each resource, as Fastify's documentation and its generator write it.
  for (const plugin of [messages, pages, checked, people, guarded('guarded'), guarded('owned'), guarded('allowed')])
    await app.register(plugin)
  return app
}

async function messages(app: FastifyInstance): Promise<void> {
  const messages = new Messages((message) => new NotFound(message))
  app.get('/messages', async ({ query }) => messages.find({ query: query as object }))
  app.get<WithId>('/messages/:id', async ({ params }) => messages.get(params.id))
  app.post('/messages', async ({ body }, reply) => {
    reply.code(201)
    return messages.create(body)
  })
}

async function pages(app: FastifyInstance): Promise<void> {
  const messages = new PagedMessages()
  const count = { type: 'integer' }
  const data = { type: 'array', items: messageSchema }
  const page = { type: 'object', properties: { total: count, limit: count, skip: count, data } }
  const schema = { querystring: messageQuerySchema, response: { 200: page } }
  app.get('/pages', { schema }, async ({ query }) => messages.find({ query: query as object }))
}

async function checked(app: FastifyInstance): Promise<void> {
  const messages = new Messages()
  const params = { type: 'object', properties: { id: { type: 'string' } } }
  const get = { params, response: { 200: messageSchema } }
  app.get<WithId>('/checked/:id', { schema: get }, async ({ params }) => messages.get(params.id))
  const create = { body: newMessageSchema, response: { 201: messageSchema } }
  app.post('/checked', { schema: create }, async ({ body }, reply) => {
    reply.code(201)
    return messages.create(body)
  })
}

async function people(app: FastifyInstance): Promise<void> {
  app.get<WithId>('/users/:id', async ({ params }) => users.get(params.id))
}

const guarded = (path: string) => async (app: FastifyInstance) => {
  const messages = new Messages()
  const guard = async (request: FastifyRequest) => {
    const { sub } = await request.jwtVerify<{ sub: string }>()
    request.user = await users.get(sub)
  }
  app.get<WithId>(`/${path}/:id`, { preHandler: guard }, async ({ params }) => messages.get(params.id))
}
