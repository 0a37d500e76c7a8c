import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { QueryParser } from '../../../types/fastify.js'
import { BadRequest, UnsupportedMediaType } from '../../core/errors.js'
import { type Endpoint, endpointsOf, type MethodDefinition, methods } from '../../core/methods.js'
import { isPlain } from '../../core/objects.js'
import type { ServiceEntry } from '../../core/service.js'
import { metaOf } from '../../core/service-meta.js'

/** The verb of a `find` whose query is the body (RFC 10008, docs/http.md#query). */
export const queryVerb = 'QUERY'

type QueriedEntry = Pick<ServiceEntry, 'app' | 'object'>

/**
 * Where a method is called over HTTP. What is asked for by GET, and is no single record, is asked
 * for by QUERY too, where Node and Fastify know that verb.
 */
export function serverEndpoints(definition: MethodDefinition, entry: QueriedEntry): readonly Endpoint[] {
  const endpoints = endpointsOf(definition)
  const get = endpoints.find(({ verb }) => verb === 'GET')
  return get !== undefined && takesQuery(definition, entry) ? [...endpoints, { ...get, verb: queryVerb }] : endpoints
}

/**
 * Whether a method may be called by QUERY. The services of a mounted application answer what they
 * answer without it.
 */
export const takesQuery = (definition: MethodDefinition, { app, object }: QueriedEntry): boolean =>
  definition.verb === 'GET' &&
  definition !== methods.get('get') &&
  metaOf(object).mounted === undefined &&
  METHODS.includes(queryVerb) &&
  (app as FastifyInstance).supportedMethods.includes(queryVerb)

/** Says in an answer that QUERY is understood here, and in which format (RFC 10008, section 3). */
export const offerQuery = (reply: FastifyReply) => reply.header('accept-query', 'application/json')

const isQueryFormat = (type: string) => /^application\/json\s*(;|$)/i.test(type)

/**
 * Refuses a QUERY whose query is not a body of JSON, before that is read.
 * @throws {UnsupportedMediaType} for a body in another format; {BadRequest} when the URL has a
 * query of its own
 */
export function checkQueryRequest(request: FastifyRequest): void {
  if (!isQueryFormat(String(request.headers['content-type'])))
    throw new UnsupportedMediaType('A QUERY has its query as a body of the type application/json')
  if (Object.keys(request.query as object).length > 0)
    throw new BadRequest('A QUERY has its query in the body: leave it out of the URL')
}

/** How much a query may hold. Infinite where an option says so. */
export interface QueryBounds {
  /** How deep its values may stand in each other, below a parameter. */
  readonly depth: number
  /** How many values it may have. */
  readonly parameterLimit: number
}

/**
 * The limits of query strings hold for JSON as well, but for that of lists: a parser that is a
 * function has those of the others.
 */
export function queryBounds(options: QueryParser = {}): QueryBounds {
  const { depth = 5, parameterLimit = 1000 } = typeof options === 'function' ? {} : options
  return { depth: Number(depth), parameterLimit }
}

/**
 * Makes the hook that takes the body of a QUERY for its query. It throws BadRequest when it is no
 * object, or passes a limit.
 */
export const readQueryBody =
  (bounds: QueryBounds): preValidationHookHandler =>
  (request, _reply, done) => {
    const { body } = request
    if (!isPlain(body)) throw new BadRequest('The query must be an object of JSON: {} selects everything')
    checkBounds(body, bounds)
    request.query = body
    request.body = undefined
    done()
  }

function checkBounds(query: object, { depth, parameterLimit }: QueryBounds): void {
  let count = 0
  const check = (container: object, level: number) => {
    // As qs counts: the name of a parameter is no level.
    if (level > depth + 1) throw new BadRequest(`The query is more than ${depth} levels deep`)
    const entries = Object.entries(container)
    // What is empty costs an adapter as much as a value.
    if (entries.length === 0 && level > 1 && ++count > parameterLimit) throw tooMany(parameterLimit)
    for (const [name, value] of entries) {
      // In a query string they are left out, which here would select more.
      if (name in Object.prototype) throw new BadRequest("A parameter can't have a name that every object has")
      if (typeof value === 'object' && value !== null) check(value, level + 1)
      else if (++count > parameterLimit) throw tooMany(parameterLimit)
    }
  }
  check(query, 1)
}

const tooMany = (limit: number) => new BadRequest(`There are more than ${limit} parameters`)
