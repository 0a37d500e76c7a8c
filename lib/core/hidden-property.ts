import { attempt } from './errors.js'

interface PropertyValue<T> {
  /** Whose property it is: a copy of an object may have copied its properties, too. */
  readonly owner: object
  readonly value: T
}

/**
 * A property of an object that nothing lists, for what is known of the object. It does what a `WeakMap` does, for objects that live as long as a
 * request: as keys of a map they cost the garbage collector a tenth of the time of a guarded request, and those that their own value leads to
 * stay until the next full collection. A map has what is known of objects that can't be given a property, such as frozen ones.
 */
export class HiddenProperty<T> {
  readonly #key: symbol
  readonly #others = new WeakMap<object, T>()

  constructor(name: string) {
    this.#key = Symbol(name)
  }

  get(object: object): T | undefined {
    return this.#others.get(object) ?? this.#entryOf(object)?.value
  }

  set(object: object, value: T): void {
    const entry: PropertyValue<T> = { owner: object, value }
    // Code that freezes or clones objects deeply leaves functions alone.
    attempt(() => Reflect.defineProperty(object, this.#key, { value: () => entry, configurable: true }))
    if (this.#entryOf(object) === entry) this.#others.delete(object)
    else this.#others.set(object, value)
  }

  /** A proxy may throw, whatever it is asked, and may answer anything. */
  #entryOf(object: object): PropertyValue<T> | undefined {
    const entry = attempt(() => (Object.hasOwn(object, this.#key) ? Reflect.get(object, this.#key)() : undefined))
    return entry?.owner === object ? entry : undefined
  }
}
