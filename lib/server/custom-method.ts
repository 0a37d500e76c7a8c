import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ConstraintStrategy, Handler, HTTPVersion } from 'find-my-way'
import { BadRequest } from '../core/errors.js'
import { idName, joinPath, placeholdersIn } from '../core/path.js'
import { isPlain } from '../core/plain.js'
import type { ServiceMethod } from '../core/service.js'

/** The header by which a client names a custom method. */
export const SERVICE_METHOD = 'x-service-method'

/** The method that a request names in the header. An empty header is as none. */
export const namedMethod = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  (headers[SERVICE_METHOD] as string | undefined) || undefined

const strategy = 'serviceMethod'

/**
 * The constraints of the route for a custom method that the header names: Fastify's router sends a `POST` with `X-Service-Method` to the route of that
 * custom method, so that each has its own schema. Other requests find the routes without the constraint.
 */
export function constraintsOf(name: string, instance: FastifyInstance): Record<string, string> {
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
  deriveConstraint: namedMethod
}

/**
 * Makes the function that moves the values for the placeholders of a route from the data to the parameters. A request that names the method
 * in the header has no other place for them.
 */
export function valuesFromData(
  { name: method, definition }: ServiceMethod,
  servicePath: string
): ((request: FastifyRequest) => void) | undefined {
  const names = placeholdersIn(definition.path)
  if (names.length === 0) return undefined
  const route = `${definition.verb} /${joinPath(servicePath, definition.path)}`
  return (request) => {
    const data = isPlain(request.body) ? { ...request.body } : {}
    const values: Record<string, string> = {}
    for (const name of names) {
      const value = data[name]
      // What comes in a URL is text, too.
      if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
        throw new BadRequest(`'${method}' needs '${name}': send it in the URL, as in ${route}, or in the data`)
      values[name === 'id' ? idName(servicePath) : name] = String(value)
      delete data[name]
    }
    request.params = { ...(request.params as object), ...values }
    request.body = data
  }
}
