import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type HookContext, type Middleware, NotFound, type ServiceOptions } from 'fastify-services'
import { acts } from './acts.js'

type Do = (context?: HookContext) => unknown
type Place = (act: (id: unknown) => Do) => [service: object, options?: ServiceOptions]

const get = async (id: string) => ({ id })
const missing = async () => {
  throw new NotFound()
}
const idOf = ({ params }: FastifyRequest) => (params as { id: string }).id

/** Where something can be thrown, or returned, during a call. */
export const places: Record<string, Place> = {
  'a method': (act) => [{ get: async (id: string) => act(id)() }],
  'a method that is not async': (act) => [{ get: (id: string) => act(id)() }],
  'a before hook': (act) => [
    { get },
    { hooks: { before: { get: [(context) => act(context.id)(context) as undefined] } } }
  ],
  'an after hook': (act) => [
    { get },
    { hooks: { after: { get: [(context) => act(context.id)(context) as undefined] } } }
  ],
  'an around hook': (act) => [
    { get },
    {
      hooks: {
        around: {
          get: [
            async (context, next) => {
              await next()
              act(context.id)(context)
            }
          ]
        }
      }
    }
  ],
  'an error hook': (act) => [
    { get: missing },
    { hooks: { error: { get: [(context) => act(context.id)(context) as undefined] } } }
  ],
  'an error hook that sets it': (act) => [
    { get: missing },
    {
      hooks: {
        error: {
          get: [
            (context) => {
              try {
                act(context.id)(context)
              } catch (error) {
                context.error = error
              }
            }
          ]
        }
      }
    }
  ],
  'a middleware before': (act) => [{ get }, { before: async (request) => void act(idOf(request))() }],
  'a middleware after': (act) => [{ get }, { after: async (request) => void act(idOf(request))() }],
  'a middleware with done': (act) => [{ get }, { after: (request, _reply, _done) => void act(idOf(request))() }],
  'an async middleware with done': (act) => [
    { get },
    {
      after: (async (request: FastifyRequest, _reply: unknown, _done: unknown) =>
        void act(idOf(request))()) as Middleware
    }
  ],
  'a formatter': (act) => [{ get }, { formatter: (request) => act(idOf(request))() }],
  'an async formatter': (act) => [{ get }, { formatter: async (request) => act(idOf(request))() }]
}

/** The path of a service for a place and a table of acts. */
export const placePath = (place: string, table: string) => `places/${place.replaceAll(' ', '-')}/${table}`

/** Listeners that fail: the answer does not change. */
export const listeners = ['a listener', 'an async listener'] as const

const twice = async (_context: HookContext, next: () => Promise<void>) => {
  await next()
  await next()
}

/** A service for each place and table of acts: `get` does what its id names. */
export async function registerPlaces(app: FastifyInstance): Promise<void> {
  for (const [place, make] of Object.entries(places))
    for (const [table, named] of Object.entries(acts))
      app.service(placePath(place, table), ...make((id) => named[String(id)] as Do))
  const remove = async (id: string) => ({ id })
  app.service('places/a-listener', { remove }).on('removed', ({ id }) => acts.thrown?.[String(id)]?.())
  app.service('places/an-async-listener', { remove }).on('removed', async ({ id }) => acts.thrown?.[String(id)]?.())
  app.service('places/next-twice', { get }, { hooks: { around: { get: [twice] } } })
  app.service('places/next-never', { get }, { hooks: { around: { get: [async () => {}] } } })
}
