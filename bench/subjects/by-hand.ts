import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import fastifyJwt from '@fastify/jwt'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import qs from 'qs'
import {
  type Message,
  Messages,
  messageQuerySchema,
  messageSchema,
  newMessageSchema,
  PagedMessages,
  recordsOf
} from '../messages.js'
import { tokenOptions, users } from '../users.js'

type WithId = { Params: { id: string } }

/** Routes as one writes them without this package: plain, with schemas, with a guard, or beside six plugins. */
export async function start(kind: string | undefined): Promise<Server> {
  const app = Fastify({ routerOptions: { querystringParser: (text) => qs.parse(text) } })
  if (kind === 'stream') addStream(app)
  else if (kind === 'schema') addWithSchema(app, new PagedMessages())
  else if (kind === 'resource') addChecked(app, new Messages())
  else if (kind === 'resource-paged') addChecked(app, new PagedMessages())
  else if (kind === 'batch') addBatch(app, new Messages())
  else if (kind === 'errors') addErrors(app, new Messages())
  else if (kind === 'guarded') await addGuarded(app, new Messages())
  else addPlain(app, new Messages())
  if (kind === 'six') for (let i = 0; i < 6; i++) await app.register(async () => {})
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server
}

function addPlain(app: FastifyInstance, messages: Messages): void {
  app.get('/messages', async ({ query }) => messages.find({ query: query as object }))
  app.get<WithId>('/messages/:id', async ({ params }) => messages.get(params.id))
  app.post('/messages', async ({ body }, reply): Promise<Message | Message[]> => {
    reply.code(201)
    return messages.create(body)
  })
}

const count = { type: 'integer' }
const pageProperties = { total: count, limit: count, skip: count, data: { type: 'array', items: messageSchema } }
const page = { type: 'object', properties: pageProperties }

function addWithSchema(app: FastifyInstance, messages: PagedMessages): void {
  app.get('/messages', { schema: { response: { 200: page } } }, async ({ query }) =>
    messages.find({ query: query as object })
  )
  app.get<WithId>('/messages/:id', { schema: { response: { 200: messageSchema } } }, async ({ params }) =>
    messages.get(params.id)
  )
}

/** What is sent is checked, too. */
function addChecked(app: FastifyInstance, messages: Messages): void {
  const params = { type: 'object', properties: { id: { type: 'string' } } }
  const query = { querystring: messageQuerySchema, response: { 200: page } }
  app.get('/messages', { schema: query }, async ({ query }) => messages.find({ query: query as object }))
  app.get<WithId>('/messages/:id', { schema: { params, response: { 200: messageSchema } } }, async ({ params }) =>
    messages.get(params.id)
  )
  const creation = { body: newMessageSchema, response: { 201: messageSchema } }
  app.post('/messages', { schema: creation }, async ({ body }, reply) => {
    reply.code(201)
    return messages.create(body)
  })
}

/** A list in a body, and its answer, each record by its schema. */
function addBatch(app: FastifyInstance, messages: Messages): void {
  const list = (items: object) => ({ type: 'array', items })
  const schema = { body: list(newMessageSchema), response: { 201: list(messageSchema) } }
  app.post('/messages', { schema }, async ({ body }, reply) => {
    reply.code(201)
    return messages.create(body)
  })
}

class NotFound extends Error {
  override readonly name = 'NotFound'
  readonly statusCode = 404
}

/** Errors in the one format that a service has. */
function addErrors(app: FastifyInstance, messages: Messages): void {
  messages.missing = (message) => new NotFound(message)
  app.setErrorHandler(async ({ name, message, statusCode: code }: NotFound, _request, reply) => {
    reply.code(code)
    return { name, message, code, className: 'not-found' }
  })
  app.get<WithId>('/messages/:id', async ({ params }) => messages.get(params.id))
}

function addStream(app: FastifyInstance): void {
  async function* toLines(count: number) {
    for await (const record of recordsOf(count)) yield `${JSON.stringify(record)}\n`
  }
  app.get<WithId>('/records/:id', async ({ params }, reply) => {
    reply.type('application/x-ndjson')
    return reply.send(Readable.from(toLines(Number(params.id)), { objectMode: false }))
  })
}

async function addGuarded(app: FastifyInstance, messages: Messages): Promise<void> {
  await app.register(fastifyJwt, tokenOptions)
  const guard = async (request: FastifyRequest) => {
    const { sub } = await request.jwtVerify<{ sub: string }>()
    request.user = await users.get(sub)
  }
  app.get<WithId>('/messages/:id', { preHandler: guard }, async ({ params }) => messages.get(params.id))
}
