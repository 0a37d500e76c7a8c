import { attempt } from './errors.js'

interface PropertyValue<T> {
  /** Whose property it is: a copy of an object may have copied its properties, too, and that of a proxy stands on the object behind it. */
  readonly owner: object
  value: T
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
    return this.#entryOf(object)?.value ?? this.#others.get(object)
  }

  set(object: object, value: T): void {
    const entry = this.#entryOf(object) ?? this.#add({ owner: object, value })
    if (entry === undefined) this.#others.set(object, value)
    else entry.value = value
  }

  /** @returns `undefined` where the object can't have the property, or has that of another object */
  #add(entry: PropertyValue<T>): PropertyValue<T> | undefined {
    const { owner } = entry
    attempt(() => {
      // Code that freezes or clones objects deeply leaves functions alone.
      const property = { value: () => entry, configurable: true }
      if (!Object.hasOwn(owner, this.#key)) Reflect.defineProperty(owner, this.#key, property)
    })
    return this.#entryOf(owner)
  }

  /** A proxy may throw, whatever it is asked, and may answer anything. */
  #entryOf(object: object): PropertyValue<T> | undefined {
    const entry = attempt(() => (Object.hasOwn(object, this.#key) ? Reflect.get(object, this.#key)() : undefined))
    return entry?.owner === object ? entry : undefined
  }
}
