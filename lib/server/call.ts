import type { FastifyRequest } from 'fastify'
import { BadRequest } from '../core/errors.js'
import type { MethodDefinition } from '../core/methods.js'
import { propertiesOf } from './request.js'

/** The name under which the routes of a service hold the id of a record, where its path does not use `:id` itself. */
export function idName(path: string): string {
  return path.split('/').includes(':id') ? '__id' : 'id'
}

/** Makes what reads the arguments of a method from a request (wire contract: "Request → service call"). */
export function argumentsOf(definition: MethodDefinition, path: string): (request: FastifyRequest) => unknown[] {
  const name = idName(path)
  const route = path.includes(':') ? toRoute : () => ({})
  const read = {
    id: ({ params }: FastifyRequest) => (params as Record<string, string>)[name] ?? null,
    data: ({ body }: FastifyRequest) => body,
    params: (request: FastifyRequest) => {
      const { query, headers } = request
      return { query, headers, route: route(request), ...propertiesOf(request), provider: 'rest' }
    }
  }
  const readers = definition.arguments.map((name) => read[name])
  return (request) => readers.map((reader) => reader(request))

  function toRoute({ params }: FastifyRequest): Record<string, string> {
    const { [name]: _, ...placeholders } = params as Record<string, string>
    // As with an empty id, what was meant for one must not become a call for another.
    for (const key in placeholders)
      if (placeholders[key] === '') throw new BadRequest(`The placeholder '${key}' is empty`)
    return placeholders
  }
}
