import { attempt, readProperty } from '../errors.js'
import { methods } from '../methods.js'
import { ownersOf } from './feathers.js'
import { TableService } from './table.js'

/** The classes that the database adapters of Feathers export, each with the class it extends. */
const adapterClasses: ReadonlyMap<string, string> = new Map([
  ['MemoryService', 'MemoryAdapter'],
  ['KnexService', 'KnexAdapter'],
  ['MongoDBService', 'MongoDbAdapter']
])

/**
 * Whether a service is a `TableService` or a database adapter of Feathers of which nothing is
 * overridden, so that its `find` returns exactly the records that its query selects. Everything else gets `false`: a
 * subclass, a decorated instance and a class with another name may do more.
 */
export function isUnchangedAdapter(service: object): boolean {
  if (service instanceof TableService)
    return (
      !overridesMembers(service, TableService.prototype) &&
      [...methods.keys(), 'sanitizeQuery'].every((name) => isDeclaredOnlyIn(TableService.prototype, service, name))
    )
  const [serviceClass] = ownersOf(service, 'find')
  if (serviceClass === undefined) return false
  const adapterClass: object | null = Object.getPrototypeOf(serviceClass)
  const baseClass: object | null = Object.getPrototypeOf(adapterClass ?? Object.prototype)
  const parentName = adapterClasses.get(serviceClass.constructor.name)
  const isAdapter =
    parentName !== undefined &&
    adapterClass?.constructor.name === parentName &&
    [...methods.keys()].every((name) => isDeclaredOnlyIn(serviceClass, service, name)) &&
    isDeclaredOnlyIn(adapterClass, service, '_find') &&
    isDeclaredOnlyIn(baseClass, service, 'sanitizeQuery')
  return isAdapter && !overridesMembers(service, serviceClass) && hasDefaultMatcher(service, serviceClass)
}

function isDeclaredOnlyIn(owner: object | null, service: object, name: string): boolean {
  const owners = ownersOf(service, name)
  return owners.length === 1 && owners[0] === owner
}

/** Whether a subclass, or the instance itself, replaces any method or getter of the adapter. */
function overridesMembers(service: object, serviceClass: object): boolean {
  const names = new Set(prototypeChain(serviceClass).flatMap((link) => Object.getOwnPropertyNames(link)))
  const isOverride = ([name, { value, get }]: [string, PropertyDescriptor]) =>
    name !== 'constructor' && names.has(name) && (get !== undefined || typeof value === 'function')
  return prototypeChain(service)
    .slice(0, -prototypeChain(serviceClass).length)
    .some((link) => Object.entries(Object.getOwnPropertyDescriptors(link)).some(isOverride))
}

/** Returns the object and its prototypes, without `Object.prototype`. */
function prototypeChain(object: object): object[] {
  const parent: object | null = Object.getPrototypeOf(object)
  return parent === null ? [] : [object, ...prototypeChain(parent)]
}

/** Whether the memory adapter compares records by its default, not by a `matcher` of its own. */
function hasDefaultMatcher(service: object, serviceClass: object): boolean {
  const matcherOf = (adapter: unknown) => Object(readProperty(adapter, 'options')).matcher as unknown
  const matcher = matcherOf(service)
  return matcher === undefined || matcher === matcherOf(attempt(() => Reflect.construct(serviceClass.constructor, [])))
}
