import type { FastifyRequest } from 'fastify'
import { Conflict, type HookContext, type ServiceOptions } from 'fastify-services'
import { wait } from './waiting.js'

/** What happens to a result between the method and the client. */
export interface Way {
  /** The status of the answer. */
  readonly status: number
  readonly verb?: 'HEAD'
  /** Whether the client leaves while something waits. */
  readonly leaves?: true
  /** Whether `handlerTimeout` passes while something waits. */
  readonly isLate?: true
  readonly options?: ServiceOptions
}

const inHook = (context: HookContext) => wait(context.params)
const inMiddleware = (request: FastifyRequest) => wait(request.feathers)
const waits: Record<string, ServiceOptions> = {
  'an after hook': { hooks: { after: { all: [inHook] } } },
  'an around hook': {
    hooks: {
      around: {
        all: [
          async (context, next) => {
            await next()
            await inHook(context)
          }
        ]
      }
    }
  },
  'a middleware': { after: async (request) => inMiddleware(request) },
  'a middleware with done': { after: (request, _reply, done) => void inMiddleware(request).then(() => done()) },
  'an async formatter': {
    formatter: async (request, reply) => {
      await inMiddleware(request)
      return reply.data
    }
  }
}

const replaced = { replaced: true }
const refuse = () => {
  throw new Conflict('refused')
}
const after = (hook: (context: HookContext) => unknown): ServiceOptions => ({
  hooks: { after: { all: [(context) => void hook(context)] } }
})
const http = (change: HookContext['http']) => after((context) => Object.assign(context, { http: change }))

const other: Record<string, Way> = {
  'it is sent': { status: 200 },
  'it is asked for by HEAD': { status: 200, verb: 'HEAD' },
  'an after hook replaces it': {
    status: 200,
    options: after((context) => Object.assign(context, { result: replaced }))
  },
  'an after hook replaces it by null': {
    status: 204,
    options: after((context) => Object.assign(context, { result: null }))
  },
  'an after hook sets dispatch': {
    status: 200,
    options: after((context) => Object.assign(context, { dispatch: replaced }))
  },
  'an after hook throws': { status: 409, options: after(refuse) },
  'an around hook throws': {
    status: 409,
    options: { hooks: { around: { all: [async (_context, next) => next().then(refuse)] } } }
  },
  'an around hook calls next() again': {
    status: 500,
    options: { hooks: { around: { all: [async (_context, next) => next().then(next)] } } }
  },
  'an error hook takes the error back': {
    status: 200,
    options: {
      hooks: {
        after: { all: [refuse] },
        error: { all: [(context) => void Object.assign(context, { result: replaced })] }
      }
    }
  },
  'a header is bad': { status: 500, options: http({ headers: { 'x-bad': 'a\r\nb' } }) },
  'a header has a bad name': { status: 500, options: http({ headers: { 'x bad': 'a' } }) },
  'a status is bad': { status: 500, options: http({ status: 99 }) },
  'a status has no body': { status: 204, options: http({ status: 204 }) },
  'a status says that nothing has changed': { status: 304, options: http({ status: 304 }) },
  'a middleware answers': { status: 200, options: { after: async (_request, reply) => reply.send(replaced) } },
  'a middleware with done answers': {
    status: 200,
    options: { after: (_request, reply, _done) => void reply.send(replaced) }
  },
  'a middleware answers past Fastify': {
    status: 200,
    options: {
      after: async (_request, reply) => {
        reply.hijack()
        reply.raw.setHeader('content-type', 'application/json')
        reply.raw.end(JSON.stringify(replaced))
      }
    }
  },
  'a middleware replaces it': {
    status: 200,
    options: {
      after: async (_request, reply) => {
        reply.data = replaced
      }
    }
  },
  'a middleware throws': { status: 409, options: { after: async () => refuse() } },
  'a middleware throws at once': { status: 409, options: { after: (_request, _reply, _done) => refuse() } },
  'a middleware calls done with an error': {
    status: 409,
    options: { after: (_request, _reply, done) => done(new Conflict('refused')) }
  },
  'the second middleware throws': { status: 409, options: { after: [async () => {}, async () => refuse()] } },
  'a formatter throws': { status: 409, options: { formatter: refuse } },
  'an async formatter throws': { status: 409, options: { formatter: async () => refuse() } },
  'a formatter answers 406': {
    status: 406,
    options: { formatter: (_request, reply) => reply.format({ 'text/csv': () => reply.data }) }
  },
  'a formatter gives something else': { status: 200, options: { formatter: () => JSON.stringify(replaced) } },
  'an async formatter gives something else': { status: 200, options: { formatter: async () => replaced } },
  'a formatter sends something else': {
    status: 200,
    options: { formatter: (_request, reply) => void reply.send(replaced) }
  }
}

// Longer than a source takes to fail that is going to.
const moment = () => new Promise<void>((resolve) => setTimeout(resolve, 20))

const pauses: Record<string, ServiceOptions> = {
  'an after hook': { hooks: { after: { all: [moment] } } },
  'a middleware': { after: moment },
  'a middleware with done': { after: (_request, _reply, done) => void moment().then(() => done()) },
  'an async formatter': { formatter: async (_request, reply) => moment().then(() => reply.data) }
}

/** All ways, by name. */
export const ways: Record<string, Way> = {
  ...other,
  ...Object.fromEntries(
    Object.entries(pauses).map(([place, options]) => [`${place} takes its time`, { status: 200, options }])
  ),
  'the method tells that it returns': { status: 200 },
  'the client leaves while the method runs': { status: 0, leaves: true },
  'a timeout passes while the method runs': { status: 503, isLate: true },
  ...Object.fromEntries(
    Object.entries(waits).flatMap(([place, options]): [string, Way][] => [
      [`the client leaves while ${place} waits`, { status: 0, leaves: true, options }],
      [`a timeout passes while ${place} waits`, { status: 503, isLate: true, options }]
    ])
  )
}

/** The ways in which the answer is what the others have put in place of the result. */
export const isReplaced = (way: string) =>
  /replaces it$|sets dispatch|takes the error back|answers( past Fastify)?$|something else/.test(way)

/** The path of a service for a name. */
export const pathOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Where a source goes a way. */
export function targetOf(way: string, source: string, course: string): string {
  const folder = ways[way]?.isLate ? 'late' : 'streams'
  return `/${folder}/${pathOf(way)}/${encodeURIComponent(source)}?course=${encodeURIComponent(course)}`
}
