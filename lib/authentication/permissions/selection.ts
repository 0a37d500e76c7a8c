import type { HookContext } from '../../../types/fastify.js'
import { idFieldOf, isAdapter, ownersOf } from '../../core/adapters/feathers.js'
import { keepAdded } from '../../core/added-fields.js'
import { callStateOf } from '../../core/call-state.js'
import { methods } from '../../core/methods.js'
import { implementationOf, metaOf } from '../../core/service-meta.js'
import { changeRecords, isRecord, resolveRecord } from './records.js'

/**
 * Whether a service is an unchanged adapter of Feathers. A class that overrides some of its methods
 * may pass on other params. Each of those adapters has all six methods in one class, and none in
 * the classes that it extends.
 */
export function selectsByQuery(service: object): boolean {
  const object = implementationOf(service)
  if (!isAdapter(object)) return false
  // Feathers puts the methods with hooks before those of the service itself.
  const source = metaOf(object).mounted ? Object.getPrototypeOf(ownersOf(object, 'get')[0]) : object
  let hasAll = false
  for (let link = source; link !== null; link = Object.getPrototypeOf(link)) {
    const count = methodNames.filter((name) => Object.hasOwn(link, name)).length
    if (count === 0) continue
    if (hasAll || count < methodNames.length) return false
    hasAll = true
  }
  return hasAll
}

const methodNames = [...methods.keys()]

// Matches the name of a column, but no expression of SQL.
const columnName = /^[\p{L}\p{N}_-]+$/u

/**
 * Runs a call whose result must have some fields, and applies the `$select` of the client after it.
 * Adapters for SQL read `$select` items such as `assigneeId as userId`, so a client could forge the
 * fields or the id by which a record is checked, here or by the adapter for knex before it removes.
 * The records of such a call are read whole. The objects of the service are not changed.
 * @param fields the fields of the result that the caller of this function needs. `undefined`: all
 */
export async function selectAround(
  context: HookContext,
  fields: readonly string[] | undefined,
  call: () => Promise<void>
): Promise<void> {
  const queryBefore = context.params.query
  // Most calls have none.
  if (Object(queryBefore).$select === undefined) return call()
  const { $select, ...query } = Object(queryBefore)
  const names: readonly unknown[] = [$select ?? []].flat()
  const isPlain = fields !== undefined && names.every((name) => typeof name === 'string' && columnName.test(name))
  const added = (fields ?? []).filter((field) => !names.includes(field))
  if (isPlain && added.length === 0) return call()
  context.params = { ...context.params, query: isPlain ? { ...query, $select: [...names, ...added] } : query }
  try {
    await call()
  } finally {
    // Outer hooks may pass the query on to other services. A call that a hook has abandoned still
    // runs, and must keep the conditions that hooks have added.
    if (callStateOf(context).abandoned === undefined) context.params = { ...context.params, query: queryBefore }
  }
  // A custom method may return anything.
  if (!methods.has(context.method)) return
  const idField = idFieldOf(context.service)
  const pickFields = isPlain
    ? picker((field) => field === idField || !added.includes(field))
    : createPicker(names, idField)
  const select = (result: unknown) => changeRecords(result, pickFields, context.method === 'find')
  context.result = select(context.result)
  if (context.dispatch !== undefined) context.dispatch = select(context.dispatch)
}

/**
 * Creates the function that picks fields by the items of a `$select`, which may have a table before
 * the name, or a path into the field behind it.
 */
function createPicker(selection: readonly unknown[], idField: string): (record: unknown) => unknown {
  const names = selection.filter((name) => typeof name === 'string')
  return picker(
    (field) =>
      field === idField ||
      names.length === 0 ||
      names.some((name) => name === field || name.startsWith(`${field}.`) || name.endsWith(`.${field}`))
  )
}

const picker = (isSelected: (field: string) => boolean) => (input: unknown) => {
  const record = resolveRecord(input)
  if (!isRecord(record)) return record
  const picked = Object.fromEntries(Object.entries(record).filter(([field]) => isSelected(field)))
  return keepAdded(record, picked)
}
