import type { StandardEvent } from '../../types/hooks.js'
import type { Service } from '../../types/service.js'
import { BadRequest } from './errors.js'

/** One row of the table of methods. */
export interface MethodDefinition<Verb extends string = string> {
  readonly verb: Verb
  /** Whether the last segment of the path is a record's id; `optional` methods have a form for many records too. */
  readonly id: boolean | 'optional'
  readonly arguments: readonly ('id' | 'data' | 'params')[]
  /** Whether the data may be a list of records. */
  readonly batch: boolean
  readonly event: StandardEvent | null
  readonly status: number
}

const row = <Verb extends string>(
  verb: Verb,
  id: MethodDefinition['id'],
  names: MethodDefinition['arguments'],
  event: MethodDefinition['event'] = null,
  batch = false,
  status = 200
): MethodDefinition<Verb> => ({ verb, id, arguments: names, batch, event, status })

const table = {
  find: row('GET', false, ['params']),
  get: row('GET', true, ['id', 'params']),
  create: row('POST', false, ['data', 'params'], 'created', true, 201),
  update: row('PUT', 'optional', ['id', 'data', 'params'], 'updated'),
  patch: row('PATCH', 'optional', ['id', 'data', 'params'], 'patched'),
  remove: row('DELETE', 'optional', ['id', 'params'], 'removed')
} satisfies Record<keyof Service, MethodDefinition>

/** The HTTP methods that calls are made with. */
export type Verb = (typeof table)[keyof Service]['verb']

/** The table of the six methods. Server, client, hooks and events all read it (specification: "Endpoints"). */
export const methods: ReadonlyMap<string, MethodDefinition> = new Map(Object.entries(table))

/** What all custom methods have in common. */
export const custom = row('POST', false, ['data', 'params'], null, true)

/** Returns the definition of a method. One that has no row in the table is a custom method. */
export function definitionOf(name: string): MethodDefinition {
  return methods.get(name) ?? custom
}

/**
 * Checks the arguments of a call against the definition of its method. A custom method takes anything.
 *
 * @throws {BadRequest} when the id is missing, or the data is missing or no object
 */
export function checkArguments(name: string, args: readonly unknown[]): void {
  const names = methods.get(name)?.arguments ?? []
  if (names[0] === 'id' && args[0] === undefined) throw new BadRequest(`An id must be provided to the '${name}' method`)
  checkData(name, args[names.indexOf('data')])
}

/**
 * @throws {BadRequest} when the data of a `create`, `update` or `patch` is missing or no object; the records of a list
 * are checked one by one
 */
export function checkData(name: string, data: unknown): void {
  const definition = methods.get(name)
  if (!definition?.arguments.includes('data')) return
  if (data === undefined) throw new BadRequest('No data provided')
  const isList = definition.batch && Array.isArray(data)
  if (isList ? data.every(isRecord) : isRecord(data)) return
  const suffix = isList ? ', or a list of objects' : ''
  throw new BadRequest(`${definition.id ? 'Second' : 'First'} parameter for '${name}' must be an object${suffix}`)
}

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
