import type { FastifyRequest } from 'fastify'
import { type Caller, caller, callerIn } from '../../core/http-call.js'
import type { MethodDefinition } from '../../core/methods.js'
import { idName, placeholdersIn } from '../../core/path.js'
import { propertiesOf } from '../../core/request-state.js'
import { checkLists } from './query.js'

/** Returns the path of a method as a route, with the name of the id of its service. */
export const routePath = (servicePath: string, path: string) => path.replace(/:id\b/, `:${idName(servicePath)}`)

/** Reads the arguments of a method from a request. */
export type ReadArguments = (request: FastifyRequest, from: Caller) => unknown[]

/**
 * Returns the function that creates the argument readers of a service
 * (docs/http.md#requests-and-calls). A reader throws BadRequest if a call without an id has a list
 * operator without a list.
 */
export function argumentsAt(path: string): (definition: MethodDefinition) => ReadArguments {
  return path.includes(':') ? readersAt(path) : sharedReader
}

// Services without placeholders read their arguments alike: there may be thousands.
const sharedReaders = new WeakMap<MethodDefinition, ReadArguments>()

function sharedReader(definition: MethodDefinition): ReadArguments {
  const reader = sharedReaders.get(definition) ?? readersAt('')(definition)
  sharedReaders.set(definition, reader)
  return reader
}

function readersAt(path: string): (definition: MethodDefinition) => ReadArguments {
  const name = idName(path)
  const id = ({ params }: FastifyRequest) => (params as Record<string, string>)[name] ?? null
  const data = ({ body }: FastifyRequest) => body
  const toRoute = ({ params }: FastifyRequest) => {
    const { [name]: _, ...placeholders } = params as Record<string, string>
    return placeholders
  }
  return (definition) => {
    const isPlain = !path.includes(':') && placeholdersIn(definition.path).every((placeholder) => placeholder === 'id')
    const route = isPlain ? () => ({}) : toRoute
    const isRead = definition.verb === 'GET'
    const params = (request: FastifyRequest, from: Caller) => {
      if (id(request) === null) checkLists(request.query, isRead)
      return new RestParams(request.query, request.headers, route(request), propertiesOf(request), from)
    }
    const read = { id, data, params }
    const readers = definition.arguments.map((name) => read[name])
    return (request, from) => readers.map((reader) => reader(request, from))
  }
}

/** The property `signal` of params. */
export const lazySignal: PropertyDescriptor = {
  configurable: true,
  get() {
    return callerIn(this)?.signal
  },
  set(value) {
    Object.defineProperty(this, 'signal', { value, configurable: true, enumerable: true, writable: true })
  }
}

/**
 * The params of a call over HTTP (docs/http.md#requests-and-calls). `signal` is on the prototype,
 * since defining it on each object is expensive.
 */
export class RestParams {
  readonly [caller]: () => Caller
  query: unknown
  headers: unknown
  route: unknown
  provider = 'rest'

  constructor(query: unknown, headers: unknown, route: unknown, properties: object | undefined, from: Caller) {
    this[caller] = from.token
    this.query = query
    this.headers = headers
    this.route = route
    if (properties === undefined) return
    Object.assign(this, properties)
    this.provider = 'rest'
    this.route = routeOfTexts(this.route) ?? this.route
  }
}
Object.defineProperty(RestParams.prototype, 'signal', lazySignal)

/** A route as a URL gives it; `undefined` where it is that already. */
export function routeOfTexts(route: unknown): Record<string, string> | undefined {
  const entries = Object.entries(Object(route))
  if (!entries.some(([, value]) => typeof value === 'number')) return undefined
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? String(value) : (value as string)])
  )
}
