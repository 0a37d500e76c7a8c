import type { FastifyInstance } from 'fastify'
import type { ConstraintStrategy, Handler, HTTPVersion } from 'find-my-way'
import { methods } from '../core/methods.js'

/** The header by which a client names a custom method. */
export const SERVICE_METHOD = 'x-service-method'

const strategy = 'serviceMethod'

/**
 * The constraints of a method's route: Fastify's router sends a `POST` with `X-Service-Method` to the route of that
 * custom method, so that each has its own schema. Other requests find the routes without the constraint.
 */
export function constraintsOf(name: string, instance: FastifyInstance): Record<string, string> {
  if (methods.has(name)) return {}
  if (!instance.hasConstraintStrategy(strategy)) instance.addConstraintStrategy(byHeader)
  return { [strategy]: name }
}

const byHeader: ConstraintStrategy<HTTPVersion.V1, unknown> = {
  name: strategy,
  storage() {
    const handlers = new Map<unknown, Handler<HTTPVersion.V1>>()
    return {
      get: (value) => handlers.get(value) ?? null,
      set(value, handler) {
        handlers.set(value, handler)
      }
    }
  },
  deriveConstraint: ({ headers }) => headers[SERVICE_METHOD]
}
