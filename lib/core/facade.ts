type Members = Record<PropertyKey, unknown>
type Method = (...args: unknown[]) => unknown

/** Puts a member on an object, over whatever stands there. */
export function define(target: Members, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: true })
}

/**
 * Makes the members of an object visible on another one, beside those that it has: properties are read from and written to the
 * source, methods of its classes are called on it, so that private fields work. (An object that inherits from the source could not
 * reach them.)
 */
export function forward(source: Members, target: Members): void {
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

function property(source: Members, target: Members, key: PropertyKey): void {
  Object.defineProperty(target, key, {
    configurable: true,
    enumerable: true,
    get: () => source[key],
    set: (value) => {
      source[key] = value
    }
  })
}
