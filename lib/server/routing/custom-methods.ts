import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ConstraintStrategy, Handler, HTTPVersion } from 'find-my-way'
import type { MethodRoutes } from '../../../types/call.js'
import { BadRequest } from '../../core/errors.js'
import { definitionOf, endpointsOf, methods } from '../../core/methods.js'
import { isPlain } from '../../core/objects.js'
import { idName, joinPath, placeholdersIn } from '../../core/path.js'
import type { ServiceMethod } from '../../core/service.js'
import { routePath } from '../request/arguments.js'
import type { Router } from '../request/router.js'

/** The header by which a client names a custom method. */
const SERVICE_METHOD = 'x-service-method'

/** Returns the method that a request names in the header. An empty header names none. */
export const namedMethod = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  (headers[SERVICE_METHOD] as string | undefined) || undefined

const strategy = 'serviceMethod'

/**
 * Returns the constraint of a route for requests that name its method in `X-Service-Method`, so
 * that each method has its own schema. Other requests find the routes without the constraint.
 */
export function headerConstraint(name: string, instance: FastifyInstance): Record<string, string> {
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
 * Creates the function that fills the placeholders of a route from the data, for requests that name
 * the method in the header. `undefined` if the route has none.
 */
export function createPlaceholderFiller(
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
      // As in a URL, every value is a string.
      if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
        throw new BadRequest(
          `'${method}' needs '${name}': send it in the URL, as in ${route}, or in the data. The client sends it in the URL where it has the same \`routes\``
        )
      values[name === 'id' ? idName(servicePath) : name] = String(value)
      delete data[name]
    }
    request.params = { ...(request.params as object), ...values }
    request.body = data
  }
}

const form = /^(GET|POST|PUT|PATCH|DELETE) \/(?!\/)/
// Fixed segments are sent as they are written, values are encoded.
const segment = /^(:[a-z]\w*|(?!\.{1,2}$)[^\s:*?#%()\\;]+)$/i

/**
 * Checks the routes of custom methods.
 * @throws if one has the wrong form, its method can't have one, or another method has its URLs
 */
export function checkRoutes(
  routes: MethodRoutes | undefined,
  path: string,
  exposed: readonly string[],
  { options }: Router
): void {
  for (const [name, text] of Object.entries(routes ?? {})) {
    const reason = problemOfRoute(name, text, path, exposed)
    if (reason !== undefined)
      throw new Error(`The service '${path}' can't have the route '${text}' for '${name}': ${reason}`)
  }
  const usedRoutes: { name: string; verb: string; methodPath: string; shape: string }[] = []
  for (const name of exposed)
    for (const { verb, path: methodPath, byHeader } of endpointsOf(definitionOf(name, routes?.[name]))) {
      if (byHeader) continue
      const bare = methodPath.replace(/:\w+/g, ':')
      const shape = options.caseSensitive ? bare : bare.toLowerCase()
      // Two verbs may share a path, if it is spelled the same.
      const other = usedRoutes.find(
        (route) => route.shape === shape && (route.verb === verb || route.methodPath !== methodPath)
      )
      if (other !== undefined)
        throw new Error(
          `The methods '${other.name}' (${other.verb} /${other.methodPath}) and '${name}' (${verb} /${methodPath}) of the service '${path}' have the same URLs: give one of them another path`
        )
      usedRoutes.push({ name, verb, methodPath, shape })
    }
}

function problemOfRoute(name: string, text: unknown, path: string, exposed: readonly string[]): string | undefined {
  if (methods.has(name)) return 'the routes of the six methods are fixed'
  if (!exposed.includes(name))
    return `its option \`methods\` (${exposed.join(', ')}) has no such name. Add it there, or correct it here`
  if (typeof text !== 'string' || !form.test(text)) return "write a verb and a path, as in 'POST /:id/publish'"
  const methodPath = definitionOf(name, text).path
  const wrong = methodPath.split('/').find((part) => methodPath !== '' && !segment.test(part))
  if (wrong !== undefined) return `'${wrong}' can't be a segment of its path: write a word, or a placeholder as ':id'`
  if (/^:(?!id$)\w+$/.test(methodPath)) return "a record is at ':id'"
  const names = [path, routePath(path, methodPath)].flatMap(placeholdersIn)
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index)
  return twice && `':${twice}' stands twice in its path`
}
