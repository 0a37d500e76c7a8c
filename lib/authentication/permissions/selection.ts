import type { HookContext } from '../../../types/fastify.js'
import { isAdapter, ownersOf } from '../../core/description.js'
import { methods } from '../../core/methods.js'
import { factsOf } from '../../core/object-facts.js'
import { isPageOfRecords } from './records.js'

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
 * Has a call select fields that its `$select` leaves out, for what reads them of its records.
 * @returns takes them out of what the call has answered. Records of the service stay as they are
 */
export function selectAlso(context: HookContext, fields: readonly string[]): () => void {
  const { params } = context
  const { $select } = Object(params.query)
  const added = Array.isArray($select) ? fields.filter((field) => !$select.includes(field)) : []
  if (added.length === 0) return () => {}
  context.params = { ...params, query: { ...params.query, $select: [...$select, ...added] } }
  const isAdded = ([field]: readonly [string, unknown]) => added.includes(field)
  const leaveOut = (record: unknown) =>
    Object.fromEntries(Object.entries(toPlain(record)).filter((entry) => !isAdded(entry)))
  const unselect = (value: unknown): unknown => {
    if (context.method !== 'find') return leaveOut(value)
    if (Array.isArray(value)) return value.map(leaveOut)
    return isPageOfRecords(value as object)
      ? { ...(value as object), data: Object(value).data.map(leaveOut) }
      : leaveOut(value)
  }
  return () => {
    context.result = unselect(context.result)
    if (context.dispatch !== undefined) context.dispatch = unselect(context.dispatch)
  }
}

/** A record as its JSON has it: objects of libraries may keep their fields elsewhere. */
const toPlain = (record: unknown): object => {
  const { toJSON } = Object(record)
  return typeof toJSON === 'function' ? toJSON.call(record) : Object(record)
}
