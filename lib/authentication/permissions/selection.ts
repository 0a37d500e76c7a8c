import type { HookContext } from '../../../types/fastify.js'
import { idFieldOf, isAdapter, ownersOf } from '../../core/description.js'
import { methods } from '../../core/methods.js'
import { factsOf } from '../../core/object-facts.js'
import { isPageOfRecords, isRecord } from './records.js'

/**
 * Whether a service is an adapter of Feathers as it is: a class that replaces some of its methods, or all, may hand on other params. Each of
 * those adapters has all six methods in one class, and none of them in the classes that it extends.
 */
export function selectsByQuery(service: object): boolean {
  const { object = service } = factsOf(service)
  if (!isAdapter(object)) return false
  // Feathers puts the methods with hooks before those of the service itself.
  const source = factsOf(object).foreign ? Object.getPrototypeOf(ownersOf(object, 'get')[0]) : object
  const [adapter] = ownersOf(source, 'get')
  const isOfAdapter = (name: string) => {
    const owners = ownersOf(source, name)
    return owners.length === 1 && owners[0] === adapter
  }
  return [...methods.keys()].every(isOfAdapter)
}

/**
 * Runs a call without its `$select`, and has its answer then have the fields that `$select` names. Adapters for SQL read names such as `assigneeId as userId`
 * there: who decides by the fields of a record, or by its id, as the adapter for knex does before it removes, would decide by what the client has chosen.
 * Records of the service stay as they are.
 */
export async function selectAfterwards(context: HookContext, call: () => Promise<void>): Promise<void> {
  const { $select, ...query } = Object(context.params.query)
  if ($select === undefined) return call()
  const queryBefore = context.params.query
  context.params = { ...context.params, query }
  try {
    await call()
  } finally {
    // Hooks further out may pass it on to other services.
    context.params = { ...context.params, query: queryBefore }
  }
  const names = [$select].flat().filter((name): name is string => typeof name === 'string')
  const pickFields = pickerOf(names, idFieldOf(context.service))
  const select = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(pickFields)
    if (context.method !== 'find' || !isRecord(value) || !isPageOfRecords(value)) return pickFields(value)
    return { ...value, data: value.data.map(pickFields) }
  }
  context.result = select(context.result)
  if (context.dispatch !== undefined) context.dispatch = select(context.dispatch)
}

/** Makes what picks fields of records by names, which may have the name of a table before them, or that of a field within theirs behind them. */
function pickerOf(names: readonly string[], idField: string): (record: unknown) => unknown {
  const isSelected = ([field]: readonly [string, unknown]) =>
    field === idField ||
    names.some((name) => name === field || name.startsWith(`${field}.`) || name.endsWith(`.${field}`))
  return (record) =>
    isRecord(record) ? Object.fromEntries(Object.entries(toPlain(record)).filter(isSelected)) : record
}

/** A record as its JSON has it: objects of libraries may keep their fields elsewhere. */
const toPlain = (record: unknown): object => {
  const { toJSON } = Object(record)
  return typeof toJSON === 'function' ? toJSON.call(record) : Object(record)
}
