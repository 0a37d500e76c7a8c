import type { FastifyInstance } from 'fastify'
import { BadRequest, Conflict, type HookContext, NotFound, type Params } from 'fastify-services'
import { results } from './sources.js'

const six = ['find', 'get', 'create', 'update', 'patch', 'remove'] as const

/** Answers each call with what it was called with. */
const echo =
  (method: string) =>
  async (...args: unknown[]) => {
    const { query, route } = args.at(-1) as Params
    return { method, args: args.slice(0, -1), query, route }
  }
export const createEcho = () => Object.fromEntries([...six, 'archive', '_find'].map((name) => [name, echo(name)]))
export const methods = [...six, 'archive']

const tag = async (context: HookContext) => {
  context.http = { ...context.http, headers: { 'x-hook': context.method } }
}
const properties = {
  text: { type: 'string', maxLength: 100 },
  count: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } }
}
const record = { type: 'object', properties, required: ['text'] }
// Ajv makes Infinity of the text '1e400', also for an integer, and as an integer it can't be serialized.
const answered = { ...record, properties: { ...properties, count: { type: 'number' } } }
const body = { type: 'object', properties }
const querystring = { type: 'object', properties: { count: { type: 'integer' }, $limit: { type: 'integer' } } }
const notes = {
  find: { querystring },
  create: { body: record, response: { 201: answered } },
  update: { body: record },
  patch: { body, querystring },
  archive: { body: record }
}

/** A service for each way of the server to take and to answer a call. */
export function registerServices(app: FastifyInstance): void {
  app.service('things', createEcho(), {
    methods,
    hooks: {
      around: { all: [async (_context, next) => next()] },
      before: { all: [tag] },
      after: { all: [async () => {}] }
    },
    before: [
      async (request) => {
        request.feathers = { tagged: true }
      }
    ],
    after: [
      async (_request, reply) => {
        reply.header('x-after', String(reply.hook?.method))
      }
    ]
  })
  app.service('rooms/:room/seats', createEcho())
  app.service('notes', { ...createEcho(), create: async (data: unknown) => data }, { methods, schema: notes })
  app.service(
    'formatted',
    { get: async (id) => ({ id }) },
    {
      formatter: (_request, reply) =>
        reply.format({
          'text/plain': () => JSON.stringify(reply.data),
          'text/html': () => '<p>a record</p>',
          'application/json': () => reply.data
        })
    }
  )
  app.service('errors', {
    get: async (id: string, params: Params) => {
      if (id === 'NotFound') throw new NotFound('Nothing', { query: params.query })
      throw new BadRequest(`Not ${id}`, { errors: { id } })
    }
  })
  app.service(
    'streams',
    {
      get: async (id: string) => {
        const result = Object.hasOwn(results, id) && results[id]?.()
        if (!result) throw new NotFound(`No stream '${id}'`)
        return result
      }
    },
    {
      after: [
        async (request) => {
          if (Object.hasOwn(request.query as object, 'refuse')) throw new Conflict('Refused')
        }
      ]
    }
  )
}
