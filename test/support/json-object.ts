/** An object of a library, which keeps its fields elsewhere: only its `toJSON` has them. */
export class JsonObject {
  readonly #value: unknown
  constructor(value: unknown) {
    this.#value = value
  }
  toJSON(): unknown {
    return this.#value
  }
}
