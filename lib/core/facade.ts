/** The members of an object by name. */
export type Members = Record<PropertyKey, unknown>
export type AnyMethod = (...args: unknown[]) => unknown

/** Defines a property of an object, whatever it inherits under that name. */
export function define(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: true })
}

/**
 * Makes the members of `source` available on `target`, unless `target` has them already. Properties
 * are read from and written to the source, and methods of its classes are called on it: an object
 * that inherited from the source could not reach private fields.
 */
export function forward(source: Members, target: object): void {
  let owner = source
  while (owner !== null && owner !== Object.prototype) {
    for (const key of Reflect.ownKeys(owner)) {
      if (key === 'constructor' || Object.hasOwn(target, key)) continue
      const isMethod = typeof Object.getOwnPropertyDescriptor(owner, key)?.value === 'function'
      const call: AnyMethod = (...args) => (source[key] as AnyMethod).apply(source, args)
      Object.defineProperty(target, key, {
        configurable: true,
        enumerable: true,
        ...(isMethod && owner !== source
          ? { value: call, writable: true }
          : {
              get: () => source[key],
              set: (value) => {
                source[key] = value
              }
            })
      })
    }
    owner = Object.getPrototypeOf(owner)
  }
}
