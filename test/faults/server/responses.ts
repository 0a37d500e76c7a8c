import type { FastifyInstance } from 'fastify'
import { Conflict, type HookContext, type ServiceOptions } from 'fastify-services'

/** Headers that are those of a connection, or of an encoding. */
export const hopByHop = {
  ...{
    'keep-alive': 'timeout=5',
    'proxy-connection': 'keep-alive',
    te: 'trailers',
    upgrade: 'h2c',
    'x-named': 'by connection'
  },
  ...{ connection: 'keep-alive, x-named', 'proxy-authenticate': 'Basic', trailer: 'x-end' }
}

/** Headers that a result has, and that an error answer must not have. */
export const ofResult = {
  ...{ 'content-encoding': 'gzip', 'set-cookie': 'owned=1', etag: '"owned"', 'cache-control': 'max-age=31536000' },
  ...{
    'content-disposition': 'attachment; filename=owned',
    'last-modified': 'Sat, 21 Nov 2026 00:00:00 GMT',
    'x-result': 'owned'
  }
}

const failing = () =>
  new ReadableStream({
    pull() {
      throw new Error('no disk')
    }
  })
const consumed = async () => {
  const response = new Response('text', { headers: ofResult })
  await response.text()
  return response
}
const locked = () => {
  const response = new Response('text', { headers: ofResult })
  response.body?.getReader()
  return response
}

/** Responses that are made here. */
export const made: Record<string, () => unknown> = {
  plain: () => new Response('text'),
  'hop-by-hop': () => new Response('text', { headers: { ...hopByHop, 'x-end': 'kept' } }),
  'transfer-encoding': () => new Response('text', { headers: { 'transfer-encoding': 'chunked', 'x-end': 'kept' } }),
  'a length': () => new Response('text', { headers: { 'content-length': '4', 'x-end': 'kept' } }),
  'no body': () => new Response(null, { headers: { 'x-end': 'kept' } }),
  'an empty body': () => new Response('', { headers: { 'x-end': 'kept' } }),
  '404': () => new Response('text', { status: 404 }),
  '204': () => new Response(null, { status: 204 }),
  '304': () => new Response(null, { status: 304, headers: { etag: '"1"' } }),
  '302': () => Response.redirect('http://localhost/other', 302),
  json: () => Response.json({ id: 1 }),
  error: () => Response.error(),
  failing: () => new Response(failing(), { headers: ofResult }),
  consumed,
  locked
}

const refuse = () => {
  throw new Conflict('refused')
}
const set = (change: Partial<HookContext>) => (context: HookContext) => void Object.assign(context, change)
const dispatch = set({ dispatch: { owned: 1 } })

/** How an error comes after a result was there. */
export const failures: Record<string, ServiceOptions> = {
  'an after hook throws': { hooks: { after: { all: [refuse] } } },
  'a middleware throws': { after: async () => refuse() },
  'a middleware calls done with an error': { after: (_request, _reply, done) => done(new Conflict('refused')) },
  'a formatter throws': { formatter: refuse },
  'an async formatter throws': { formatter: async () => refuse() },
  'an after hook sets dispatch, and the next throws': { hooks: { after: { all: [dispatch, refuse] } } },
  'an after hook sets headers, and the next throws': {
    hooks: { after: { all: [set({ http: { headers: ofResult, location: '/owned', status: 201 } }), refuse] } }
  },
  'an after hook sets headers, and a middleware throws': {
    hooks: { after: { all: [set({ http: { headers: ofResult, location: '/owned', status: 201 } })] } },
    after: async () => refuse()
  },
  'a formatter has set headers': {
    formatter: (_request, reply) => {
      reply.headers(ofResult)
      return refuse()
    }
  }
}

/** How an error is taken back. */
const replaced = set({ result: { replaced: true } })
export const takenBack: Record<string, ServiceOptions> = {
  'dispatch of an after hook': { hooks: { after: { all: [dispatch, refuse] }, error: { all: [replaced] } } },
  'dispatch of an around hook': {
    hooks: {
      around: {
        all: [
          async (context, next) => next().catch(() => replaced(context)),
          async (context, next) => {
            await next()
            dispatch(context)
            refuse()
          }
        ]
      }
    }
  },
  'dispatch of an around hook that catches': {
    hooks: {
      around: { all: [async (context, next) => next().catch(() => replaced(context))] },
      after: { all: [dispatch, refuse] }
    }
  },
  'dispatch of a before hook': { hooks: { before: { all: [dispatch, refuse] }, error: { all: [replaced] } } }
}

/** Services that answer with a `Response`: made here, fetched, and one that fails afterwards in each way. */
export async function registerResponses(app: FastifyInstance, upstream: string): Promise<void> {
  const traced: ServiceOptions = {
    before: async (_request, reply) => {
      reply.header('x-before', 'kept')
    }
  }
  const get = async (id: string) => made[id]?.()
  app.service('responses', { get })
  app.service('traced', { get }, traced)
  app.service('fetched', { get: async (id: string) => fetch(`${upstream}/${id}`) })
  const path = (name: string) => name.replace(/[ ,]+/g, '-')
  for (const [name, options] of Object.entries(failures))
    app.service(
      `failures/${path(name)}`,
      { get: async () => new Response('text', { headers: ofResult }) },
      { ...traced, ...options }
    )
  for (const [name, options] of Object.entries(takenBack))
    app.service(`taken-back/${path(name)}`, { get: async (id: string) => ({ id }) }, options)
}
