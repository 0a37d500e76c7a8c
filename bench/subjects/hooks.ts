import Fastify from 'fastify'
import services, { type HookContext, type NextFunction } from 'fastify-services'

/** How many hooks of a kind a call has. */
export const hookCount = 20

/** Calls of a service without HTTP: without hooks, or with those of one kind. */
export async function start(kind = 'none'): Promise<() => Promise<unknown>> {
  const app = Fastify()
  await app.register(services)
  const service = app.service('messages', { get: async (id: string) => ({ id }) })
  if (kind === 'around')
    service.hooks({ around: { get: many(() => async (_: HookContext, next: NextFunction) => next()) } })
  else if (kind !== 'none') service.hooks({ [kind]: { get: many(() => async () => {}) } })
  await app.ready()
  return () => service.get('1')
}

const many = <T>(create: () => T): T[] => Array.from({ length: hookCount }, create)
