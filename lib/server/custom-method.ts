import type { FastifyInstance } from 'fastify'
import { methods } from '../core/methods.js'

/** The header by which a client names a custom method. */
export const SERVICE_METHOD = 'x-service-method'

const strategy = 'serviceMethod'

/**
 * The constraints of a method's route: Fastify's router leads `POST` with an `X-Service-Method` to the route of that custom method,
 * which so has a schema of its own. Routes without the constraint are found as before.
 */
export function constraintsOf(name: string, instance: FastifyInstance): Record<string, string> {
  if (methods.has(name)) return {}
  if (!instance.hasConstraintStrategy(strategy)) instance.addConstraintStrategy(byHeader as never)
  return { [strategy]: name }
}

const byHeader = {
  name: strategy,
  storage() {
    const handlers = new Map<unknown, unknown>()
    return {
      get: (value: unknown) => handlers.get(value) ?? null,
      set(value: unknown, handler: unknown) {
        handlers.set(value, handler)
      }
    }
  },
  deriveConstraint: (request: { headers: Record<string, unknown> }) => request.headers[SERVICE_METHOD]
}
