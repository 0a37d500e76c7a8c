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
 * Returns the endpoints of a method. A GET for many records has a QUERY beside it, if Node and
 * Fastify support that verb.
 */
export function serverEndpoints(definition: MethodDefinition, entry: QueriedEntry): readonly Endpoint[] {
  const endpoints = endpointsOf(definition)
  const get = endpoints.find(({ verb }) => verb === 'GET')
  return get !== undefined && takesQuery(definition, entry) ? [...endpoints, { ...get, verb: queryVerb }] : endpoints
}

/** Whether a method can be called by QUERY. Services of a mounted application can't. */
export const takesQuery = (definition: MethodDefinition, { app, object }: QueriedEntry): boolean =>
  definition.verb === 'GET' &&
  definition !== methods.get('get') &&
  metaOf(object).mounted === undefined &&
  METHODS.includes(queryVerb) &&
  (app as FastifyInstance).supportedMethods.includes(queryVerb)

/** Sets the header that says which format a QUERY may have (RFC 10008, section 3). */
export const offerQuery = (reply: FastifyReply) => reply.header('accept-query', 'application/json')

const isQueryFormat = (type: string) => /^application\/json\s*(;|$)/i.test(type)

/**
 * Checks a QUERY before its body is read.
 * @throws {UnsupportedMediaType} if the body is not JSON
 * @throws {BadRequest} if the URL has a query
 */
export function checkQueryRequest(request: FastifyRequest): void {
  if (!isQueryFormat(String(request.headers['content-type'])))
    throw new UnsupportedMediaType('A QUERY has its query as a body of the type application/json')
  if (Object.keys(request.query as object).length > 0)
    throw new BadRequest('A QUERY has its query in the body: leave it out of the URL')
}

/** The limits of a query in a body. They may be infinite. */
export interface QueryBounds {
  /** The levels below a parameter. */
  readonly depth: number
  /** The number of values. */
  readonly parameterLimit: number
}

/**
 * Returns the limits of query strings that apply to JSON, too: not `arrayLimit`. If the option
 * `query` is a function, the defaults apply.
 */
export function queryBounds(options: QueryParser = {}): QueryBounds {
  const { depth = 5, parameterLimit = 1000 } = typeof options === 'function' ? {} : options
  return { depth: Number(depth), parameterLimit }
}

/**
 * Creates the hook that reads the query of a QUERY from its body. It throws BadRequest if the body
 * is no object, or passes a limit.
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

/** @throws {BadRequest} if a query in JSON passes a limit, or names a member of every object */
export function checkBounds(query: object, { depth, parameterLimit }: QueryBounds): void {
  let count = 0
  const check = (container: object, level: number) => {
    // As in `qs`, the name of a parameter is no level.
    if (level > depth + 1) throw new BadRequest(`The query is more than ${depth} levels deep`)
    const entries = Object.entries(container)
    // An empty object costs an adapter as much as a value.
    if (entries.length === 0 && level > 1 && ++count > parameterLimit) throw tooMany(parameterLimit)
    for (const [name, value] of entries) {
      // `qs` drops them from a query string. Here, a dropped filter would select more records.
      if (name in Object.prototype) throw new BadRequest("A parameter can't have a name that every object has")
      if (typeof value === 'object' && value !== null) check(value, level + 1)
      else if (++count > parameterLimit) throw tooMany(parameterLimit)
    }
  }
  check(query, 1)
}

const tooMany = (limit: number) => new BadRequest(`There are more than ${limit} parameters`)
