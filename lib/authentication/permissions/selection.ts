import type { HookContext } from '../../../types/fastify.js'
import { idFieldOf, isAdapter, ownersOf } from '../../core/adapters/feathers.js'
import { callStateOf } from '../../core/call-state.js'
import { methods } from '../../core/methods.js'
import { recordsOfPage } from '../../core/page.js'
import { metaOf } from '../../core/service-meta.js'
import { isRecord, resolveRecord } from './records.js'

/**
 * Whether a service is an adapter of Feathers as it is: a class that replaces some of its methods,
 * or all, may hand on other params. Each of those adapters has all six methods in one class, and
 * none of them in the classes that it extends.
 */
export function selectsByQuery(service: object): boolean {
  const { object = service } = metaOf(service)
  if (!isAdapter(object)) return false
  // Feathers puts the methods with hooks before those of the service itself.
  const source = metaOf(object).mounted ? Object.getPrototypeOf(ownersOf(object, 'get')[0]) : object
  const [adapter] = ownersOf(source, 'get')
  const isOfAdapter = (name: string) => {
    const owners = ownersOf(source, name)
    return owners.length === 1 && owners[0] === adapter
  }
  return [...methods.keys()].every(isOfAdapter)
}

// What SQL takes for the name of a column, and for nothing else.
const columnName = /^[\p{L}\p{N}_-]+$/u

/**
 * Runs a call of which a decision needs fields, and has its answer then have those that `$select`
 * names. Adapters for SQL read names such as `assigneeId as userId` there: who decides by the
 * fields of a record, or by its id, as the adapter for knex does before it removes, would decide by
 * what the client has chosen. So the records of such a call are read whole. Records of the service
 * stay as they are.
 * @param fields of the records that the call answers, for the decision
 */
export async function selectAround(
  context: HookContext,
  fields: readonly string[],
  call: () => Promise<void>
): Promise<void> {
  const queryBefore = context.params.query
  const { $select, ...query } = Object(queryBefore)
  const names: readonly unknown[] = [$select ?? []].flat()
  const isPlain = names.every((name) => typeof name === 'string' && columnName.test(name))
  const added = fields.filter((field) => !names.includes(field))
  if ($select === undefined || (isPlain && added.length === 0)) return call()
  context.params = { ...context.params, query: isPlain ? { ...query, $select: [...names, ...added] } : query }
  try {
    await call()
  } finally {
    // Hooks further out may pass it on to other services. A call that a hook has given up still
    // runs, and keeps to what hooks have added to its query.
    if (callStateOf(context).abandoned === undefined) context.params = { ...context.params, query: queryBefore }
  }
  // The answer of a custom method is its own.
  if (!methods.has(context.method)) return
  const pickFields = isPlain ? picker((field) => !added.includes(field)) : pickerOf(names, idFieldOf(context.service))
  const select = (input: unknown): unknown => {
    const value = resolveRecord(input)
    if (Array.isArray(value)) return value.map(pickFields)
    const records = context.method === 'find' ? recordsOfPage(value) : undefined
    return records === undefined ? pickFields(value) : { ...(value as object), data: records.map(pickFields) }
  }
  context.result = select(context.result)
  if (context.dispatch !== undefined) context.dispatch = select(context.dispatch)
}

/**
 * Makes what picks fields of records by names, which may have the name of a table before them, or
 * that of a field within theirs behind them.
 */
function pickerOf(selection: readonly unknown[], idField: string): (record: unknown) => unknown {
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
  return isRecord(record) ? Object.fromEntries(Object.entries(record).filter(([field]) => isSelected(field))) : record
}
