import type { StandardEvent } from '../../types/hooks.js'
import type { Service } from '../../types/service.js'
import { BadRequest } from './errors.js'

/** One row of the table of methods. */
export interface MethodDefinition {
  readonly verb: string
  /** Whether the last segment of the path is a record's id; `optional` methods have a form for many records too. */
  readonly id: boolean | 'optional'
  readonly arguments: readonly ('id' | 'data' | 'params')[]
  /** Whether the data may be a list of records. */
  readonly batch: boolean
  readonly event: StandardEvent | null
  readonly status: number
}

const row = (
  verb: string,
  id: MethodDefinition['id'],
  names: MethodDefinition['arguments'],
  event: MethodDefinition['event'] = null,
  batch = false,
  status = 200
): MethodDefinition => ({ verb, id, arguments: names, batch, event, status })

/** The table of the six methods. Server, client, hooks and events all read it (specification: "Endpoints"). */
export const methods: ReadonlyMap<string, MethodDefinition> = new Map(
  Object.entries({
    find: row('GET', false, ['params']),
    get: row('GET', true, ['id', 'params']),
    create: row('POST', false, ['data', 'params'], 'created', true, 201),
    update: row('PUT', 'optional', ['id', 'data', 'params'], 'updated'),
    patch: row('PATCH', 'optional', ['id', 'data', 'params'], 'patched'),
    remove: row('DELETE', 'optional', ['id', 'params'], 'removed')
  } satisfies Record<keyof Service, MethodDefinition>)
)

/** What all custom methods have in common. */
export const custom = row('POST', false, ['data', 'params'], null, true)

/** Returns the definition of a method. One that has no row in the table is a custom method. */
export function definitionOf(name: string): MethodDefinition {
  return methods.get(name) ?? custom
}

const ordinals = ['First', 'Second']

/**
 * Makes the function that checks the arguments of a call against the definition of its method. A custom method takes
 * anything.
 *
 * @returns a function that throws a BadRequest when the id is missing, or the data is missing or no object
 */
export function argumentCheck(name: string): (args: readonly unknown[]) => void {
  const names = methods.get(name)?.arguments ?? []
  const position = names.indexOf('data')
  return (args) => {
    if (names[0] === 'id' && args[0] === undefined)
      throw new BadRequest(`An id must be provided to the '${name}' method`)
    if (position !== -1) checkData(name, args[position])
  }
}

/**
 * @throws {BadRequest} when the data of a `create`, `update` or `patch` is missing or no object; the records of a list
 * are checked one by one
 */
export function checkData(name: string, data: unknown): void {
  const definition = methods.get(name)
  if (definition === undefined) return
  if (data === undefined) throw new BadRequest('No data provided')
  const isList = definition.batch && Array.isArray(data)
  if (isList ? data.every(isRecord) : isRecord(data)) return
  const ordinal = ordinals[definition.arguments.indexOf('data')]
  throw new BadRequest(`${ordinal} parameter for '${name}' must be an object${isList ? ', or a list of objects' : ''}`)
}

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
