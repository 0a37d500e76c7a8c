import { readProperty } from '../errors.js'

/** Whether a service is a database adapter of Feathers: its methods select by `params.query`. */
export const isAdapter = (object: object): boolean => typeof readProperty(object, 'sanitizeQuery') === 'function'

/**
 * Returns the owners of a member: the object and its classes that define it, the nearest first.
 * With more than one, the first overrides the others.
 */
export function ownersOf(object: object | null, name: string): readonly object[] {
  const owners: object[] = []
  for (let link = object; link !== null; link = Object.getPrototypeOf(link))
    if (Object.hasOwn(link, name)) owners.push(link)
  return owners
}

/** Returns the name of the id field of records: the option `id` of an adapter, or `id`. */
export function idFieldOf(object: object): string {
  const { id = readProperty(object, 'id') } = Object(readProperty(object, 'options'))
  return typeof id === 'string' ? id : 'id'
}

/** Whether `create`, `patch` or `remove` take many records: the option `multi` of an adapter. */
export function takesMany(object: object, method: string): boolean {
  const { multi } = Object(readProperty(object, 'options'))
  return multi === true
    ? ['create', 'patch', 'remove'].includes(method)
    : Array.isArray(multi) && multi.includes(method)
}
