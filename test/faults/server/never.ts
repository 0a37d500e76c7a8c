import type { FastifyInstance } from 'fastify'
import type { HookContext, Middleware, Params, ServiceOptions } from 'fastify-services'
import { called, tell } from './control.js'

const never = () => new Promise<void>(() => {})
const find = async () => []

/** Where a call can wait for ever. */
export const waits: Record<string, [service: object, options?: ServiceOptions]> = {
  'a method': [{ find: never }],
  'a before hook': [{ find }, { hooks: { before: { find: [never] } } }],
  'an around hook before': [{ find }, { hooks: { around: { find: [never] } } }],
  'an around hook after': [{ find }, { hooks: { around: { find: [async (_context, next) => next().then(never)] } } }],
  'an after hook': [{ find }, { hooks: { after: { find: [never] } } }],
  'an error hook': [{ find: async () => Promise.reject(new Error('broken')) }, { hooks: { error: { find: [never] } } }],
  'a middleware before': [{ find }, { before: never }],
  'a middleware before that never calls done': [{ find }, { before: (_request, _reply, _done) => {} }],
  'a middleware after': [{ find }, { after: never }],
  'a middleware after that never calls done': [{ find }, { after: (_request, _reply, _done) => {} }],
  'an async middleware that never calls done': [
    { find },
    { after: (async (_a: unknown, _b: unknown, _c: unknown) => {}) as Middleware }
  ],
  'a formatter that never sends': [{ find }, { formatter: () => undefined }],
  'an async formatter': [{ find }, { formatter: never }],
  'a stream before its first item': [{ find: async () => new ReadableStream() }]
}

const aborted = ({ signal }: Params & { signal?: AbortSignal }) =>
  new Promise((resolve) => {
    tell()
    signal?.addEventListener('abort', () => {
      called('aborted', signal.reason instanceof Error ? 'by an error' : null)
      resolve(null)
    })
  })
const told = (context: HookContext) => aborted(context.params) as Promise<never>

/** Where a call can learn that its client has left, or that it has taken too long. */
export const signals: Record<string, [service: object, options?: ServiceOptions]> = {
  'a method': [{ find: aborted }],
  'a method whose params a hook has copied': [
    { find: aborted },
    {
      hooks: {
        before: {
          find: [
            (context) => {
              context.params = { ...context.params }
            }
          ]
        }
      }
    }
  ],
  'a before hook': [{ find }, { hooks: { before: { find: [told] } } }],
  'an after hook': [{ find }, { hooks: { after: { find: [told] } } }],
  'an around hook': [
    { find },
    { hooks: { around: { find: [async (context, next) => next().then(() => told(context))] } } }
  ]
}

export const waitPath = (kind: string, place: string) => `late/${kind}/${place.replaceAll(' ', '-')}`

/** A service for each place. What stands below `late` has little time. */
export async function registerNever(app: FastifyInstance): Promise<void> {
  for (const [place, registration] of Object.entries(waits)) app.service(waitPath('waits', place), ...registration)
  for (const [place, registration] of Object.entries(signals)) {
    app.service(waitPath('signals', place), ...registration)
    app.service(waitPath('signals', place).replace('late/', 'patient/'), ...registration)
  }
  const run = async (...args: unknown[]) => {
    called('run', null)
    const { signal } = args.at(-1) as { signal?: unknown }
    return { isSignal: signal instanceof AbortSignal }
  }
  app.service('signal', { find: run, create: run })
  // The client leaves before the method runs: it is not called any more.
  const leaves: Middleware = async (_request, reply) => {
    const gone = new Promise((resolve) => reply.raw.once('close', resolve))
    tell()
    await gone
  }
  app.service('left/before', { find: run }, { before: leaves })
  app.service('late/before', { find: run }, { before: leaves })
}
