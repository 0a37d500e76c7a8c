import type { StandardEvent } from '../../types/hooks.js'
import type { Service } from '../../types/service.js'
import { BadRequest } from './errors.js'
import { hookTypes } from './hooks.js'
import { isObject } from './objects.js'
import { stripSlashes } from './path.js'

/** A row of the table of methods. */
export interface MethodDefinition {
  readonly verb: string
  /** Where it is called, under the path of its service: `''`, `:id`, `:id/publish`. */
  readonly path: string
  /**
   * Whether the path holds a record's id; `optional` methods have a form for many records too, at
   * the path of the service.
   */
  readonly id: boolean | 'optional'
  readonly arguments: readonly ('id' | 'data' | 'params')[]
  readonly event: StandardEvent | null
}

/** Whether the data of a method may be a list of records. */
export const takesList = ({ arguments: [first] }: MethodDefinition): boolean => first === 'data'

/** The status of an answer, unless the context has another one. */
export const statusOf = ({ event }: MethodDefinition): number => (event === 'created' ? 201 : 200)

const row = (verb: string, path: string, event: StandardEvent | null = null): MethodDefinition => {
  const hasId = /:id\b/.test(path)
  // POST, PUT and PATCH have data.
  const hasData = verb[0] === 'P'
  const names = [hasId && 'id', hasData && 'data', 'params'] as const
  return {
    verb,
    path,
    // A method with an event and an id, such as `patch`, can be called without the id: for many
    // records.
    id: event && hasId ? 'optional' : hasId,
    arguments: names.filter(Boolean) as MethodDefinition['arguments'],
    event
  }
}

const table = {
  find: row('GET', ''),
  get: row('GET', ':id'),
  create: row('POST', '', 'created'),
  update: row('PUT', ':id', 'updated'),
  patch: row('PATCH', ':id', 'patched'),
  remove: row('DELETE', ':id', 'removed')
} satisfies Record<keyof Service, MethodDefinition>

/**
 * The table of the six methods. Server, client, hooks and events all read it
 * (docs/http.md#requests-and-calls).
 */
export const methods: ReadonlyMap<string, MethodDefinition> = new Map(Object.entries(table))

/** The definition of all custom methods without their own route. */
export const custom = row('POST', '')

/**
 * Returns the definition of a method. One that has no row in the table is a custom method: its row
 * is made from the text of its route, if it has one.
 */
export function definitionOf(name: string, route?: string): MethodDefinition {
  const [verb, path] = route?.split(' /') ?? []
  return methods.get(name) ?? (verb ? row(verb, stripSlashes(path as string)) : custom)
}

/**
 * Checks the arguments of a call against the definition of its method. The data of a custom method
 * may be anything.
 *
 * @throws {BadRequest} when the id is missing, or the data is missing or no object
 */
export function checkArguments(name: string, names: readonly string[], args: readonly unknown[]): void {
  if (names[0] === 'id' && args[0] === undefined) throw new BadRequest(`An id must be provided to the '${name}' method`)
  if (names.includes('data')) checkData(name, args[names.indexOf('data')])
}

/**
 * @throws {BadRequest} when the data of a `create`, `update` or `patch` is missing or no object;
 * the records of a list are checked one by one
 */
export function checkData(name: string, data: unknown): void {
  const definition = methods.get(name)
  if (!definition?.arguments.includes('data')) return
  if (data === undefined) throw new BadRequest('No data provided')
  const isList = takesList(definition) && Array.isArray(data)
  if (isList ? data.every(isObject) : isObject(data)) return
  const suffix = isList ? ', or a list of objects' : ''
  throw new BadRequest(`${definition.id ? 'Second' : 'First'} parameter for '${name}' must be an object${suffix}`)
}

/** A verb and a path below its service, by which a method is called over HTTP. */
export interface Endpoint {
  readonly verb: string
  /** `''`, `:id`, `stats`, `:id/publish`. */
  readonly path: string
  /**
   * Whether a request names the method in `X-Service-Method`. It can do so for every custom method.
   */
  readonly byHeader: boolean
}

/**
 * The endpoints of a method. Routes, the 405 answer and descriptions of services are made from
 * them.
 */
export function endpointsOf(definition: MethodDefinition): readonly Endpoint[] {
  const { verb, path, id } = definition
  const direct = { verb, path, byHeader: false }
  if ([...methods.values()].includes(definition))
    return id === 'optional' ? [{ ...direct, path: '' }, direct] : [direct]
  const byHeader = { verb: custom.verb, path: custom.path, byHeader: true }
  return definition === custom ? [byHeader] : [direct, byHeader]
}

// Excludes names that `JSON.stringify`, test runners, streams and frameworks look up on any object
// (`$$typeof`, `__v_isRef`).
export const isCustom = /^(?!(toJSON|asymmetricMatch|catch|finally|pipe|getReader|nodeType|length)$)[a-z]\w*$/i

// The names of what is called automatically, and words of hooks.
const reserved = ['setup', 'teardown', 'then', 'all', ...hookTypes]

/** Whether no custom method can have a name. */
export const isReserved = (name: string) => reserved.includes(name)

/** The error for a custom method whose name is taken. */
export const nameError = (name: string, path: string) =>
  new Error(`'${name}' can't be a method of the service '${path}': the name is taken`)
