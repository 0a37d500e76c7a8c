import { attempt } from './errors.js'

/**
 * A property that nothing lists, and that copies of an object do not have. It does what a `WeakMap` does, for objects that live as long as a
 * request: as keys of a map they cost the garbage collector a tenth of the time of a guarded request, and those that their own value leads to
 * stay until the next full collection. Objects that can't be given a property, such as frozen ones, are in a map.
 */
export class HiddenProperty<T> {
  readonly #key: symbol
  readonly #others = new WeakMap<object, T>()

  constructor(name: string) {
    this.#key = Symbol(name)
  }

  get(object: object): T | undefined {
    // A proxy may throw, whatever it is asked.
    const read = attempt(() => (Object.hasOwn(object, this.#key) ? Reflect.get(object, this.#key) : undefined))
    return typeof read === 'function' ? read() : this.#others.get(object)
  }

  set(object: object, value: T): void {
    // Code that freezes or clones objects deeply leaves functions alone.
    const property = { value: () => value, configurable: true }
    if (attempt(() => Reflect.defineProperty(object, this.#key, property)) !== true) this.#others.set(object, value)
  }
}
