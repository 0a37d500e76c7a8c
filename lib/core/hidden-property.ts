import { attempt } from './errors.js'

/** A property of objects that nothing lists and nothing copies, for what is known of them. */
export interface HiddenProperty<T> {
  get(object: object): T | undefined
  set(object: object, value: T): void
}

/**
 * A class that makes nothing: what is derived from it adds its private fields to the object that it
 * is called with.
 */
const Itself = itself as unknown as new (object: object) => object
function itself(object: object): object {
  return object
}

/**
 * Makes a hidden property. It does what a `WeakMap` does, for objects that live as long as a
 * request: as keys of a map they cost the garbage collector a tenth of the time of a guarded
 * request, and those that their own value leads to stay until the next full collection. A map has
 * what is known of objects that can't be given a property, such as frozen ones.
 */
export function createHiddenProperty<T>(): HiddenProperty<T> {
  const others = new WeakMap<object, T>()
  return class Holder extends Itself {
    #value: T

    constructor(object: object, value: T) {
      super(object)
      this.#value = value
    }

    static get(object: object): T | undefined {
      return #value in object ? object.#value : others.get(object)
    }

    static set(object: object, value: T): void {
      if (#value in object) object.#value = value
      // A proxy may throw, whatever it is asked.
      else if (attempt(() => Object.isExtensible(object))) new Holder(object, value)
      else others.set(object, value)
    }
  }
}
