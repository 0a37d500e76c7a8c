type Members = Record<PropertyKey, unknown>
type Method = (...args: unknown[]) => unknown

/** Defines a property of an object, whatever it inherits under that name. */
export function define(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: true })
}

/**
 * Makes the members of `source` available on `target`, except those that `target` has already. Properties are read from and written to
 * the source, and methods of its classes are called on it: an object that inherited from the source could not reach private fields.
 */
export function forward(source: Members, target: object): void {
  let owner = source
  while (owner !== null && owner !== Object.prototype) {
    for (const key of Reflect.ownKeys(owner)) {
      if (key === 'constructor' || Object.hasOwn(target, key)) continue
      const isMethod = typeof Object.getOwnPropertyDescriptor(owner, key)?.value === 'function'
      if (owner === source || !isMethod) property(source, target, key)
      else define(target, key, (...args: unknown[]) => (source[key] as Method).apply(source, args))
    }
    owner = Object.getPrototypeOf(owner)
  }
}

function property(source: Members, target: object, key: PropertyKey): void {
  Object.defineProperty(target, key, {
    configurable: true,
    enumerable: true,
    get: () => source[key],
    set: (value) => {
      source[key] = value
    }
  })
}
