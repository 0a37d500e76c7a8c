import type { FastifyRequest } from 'fastify'
import type { Caller } from '../core/caller.js'
import type { MethodDefinition } from '../core/methods.js'
import { RestParams } from './params.js'
import { propertiesOf } from './request.js'

/**
 * The name of the route parameter with the id of a record. It is another one if the path of the service uses `:id`
 * itself.
 */
export function idName(path: string): string {
  return /:id(?!\w)/.test(path) ? '__id' : 'id'
}

/** Reads the arguments of a method from a request. */
export type ReadArguments = (request: FastifyRequest, from: Caller) => unknown[]

/**
 * Makes, for the service at a path, the function that makes the readers of its methods' arguments (wire contract: "Request → service
 * call").
 */
export function argumentsAt(path: string): (definition: MethodDefinition) => ReadArguments {
  const name = idName(path)
  const route = path.includes(':') ? toRoute : () => ({})
  const read = {
    id: ({ params }: FastifyRequest) => (params as Record<string, string>)[name] ?? null,
    data: ({ body }: FastifyRequest) => body,
    params: (request: FastifyRequest, from: Caller) =>
      new RestParams(request.query, request.headers, route(request), propertiesOf(request), from)
  }
  return (definition) => {
    const readers = definition.arguments.map((name) => read[name])
    return (request, from) => readers.map((reader) => reader(request, from))
  }

  function toRoute({ params }: FastifyRequest): Record<string, string> {
    const { [name]: _, ...placeholders } = params as Record<string, string>
    return placeholders
  }
}
