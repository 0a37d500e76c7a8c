import type { FastifyInstance } from 'fastify'
import { methods } from '../core/methods.js'
import { SERVICE_METHOD } from './unsupported.js'

const strategy = 'serviceMethod'

/**
 * The constraint that leads `POST` with an `X-Service-Method` to the route of a custom method: Fastify's router picks it, so that the
 * method has a schema of its own. Routes without the constraint are found as before.
 */
export function constraintsOf(name: string, instance: FastifyInstance): Record<string, string> {
  if (methods.has(name)) return {}
  if (!instance.hasConstraintStrategy(strategy)) {
    instance.addConstraintStrategy({
      name: strategy,
      storage: () => {
        const handlers = new Map<string, never>()
        return {
          get: (value: string) => handlers.get(value) ?? null,
          set: (value: string, handler: never) => handlers.set(value, handler)
        }
      },
      deriveConstraint: (request: { headers: Record<string, unknown> }) => request.headers[SERVICE_METHOD]
    } as never)
  }
  return { [strategy]: name }
}
