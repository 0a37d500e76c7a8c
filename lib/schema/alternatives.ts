import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'

type Sets = readonly (readonly SchemaValue[])[]

// A limit, since unions within unions multiply.
const maxAlternatives = 16

/** Unions of sets of schemas, one of which applies to a place. The same sets are the same union. */
export class Alternatives {
  readonly #ids = new Map<unknown, number>()
  readonly #unions = new Map<string, JsonSchema>()
  readonly #sets = new Map<SchemaValue, Sets>()

  /**
   * The union of alternatives, each of which is a set of schemas. The same alternatives are the
   * same union, and one within another is part of it: a schema within itself would make new unions
   * without end.
   */
  readonly union = (alternatives: Sets): JsonSchema => {
    const flat = alternatives.flatMap((schemas) => this.#flatten(schemas))
    // Past the limit each schema becomes an alternative of its own, beside the empty one: none is
    // sure to apply, but their flags and names hold.
    const isTooMany = flat.length > maxAlternatives
    const loose = isTooMany ? [...new Set(flat.flat())].map((schema) => [schema]) : flat
    const byKey = new Map((isTooMany ? [...loose, []] : loose).map((schemas) => [this.key(schemas), schemas]))
    const key = [...byKey.keys()].sort().join('|')
    const ready = this.#unions.get(key)
    if (ready !== undefined) return ready
    const branches = [...byKey.values()].map((schemas): SchemaValue => {
      const [first = true, ...others] = schemas
      return others.length === 0 ? first : { allOf: schemas }
    })
    const union: JsonSchema = { anyOf: branches }
    this.#unions.set(key, union)
    this.#sets.set(union, [...byKey.values()])
    return union
  }

  /**
   * The schemas of a field that one of them must name, since its object is closed: without the
   * alternative in which none of them does.
   */
  readonly naming = (schemas: readonly SchemaValue[]): readonly SchemaValue[] => {
    const mayBeSilent = (schema: SchemaValue) => this.#sets.get(schema)?.some((set) => set.length === 0) === true
    if (schemas.length === 0 || !schemas.every(mayBeSilent)) return schemas
    const [first = [], ...others] = this.#flatten(schemas).filter((set) => set.length > 0)
    return others.length === 0 ? first : [this.union([first, ...others])]
  }

  /**
   * Whether a schema of a place says what may stand there, in any of its alternatives: `false` says
   * that nothing may.
   */
  permits(schema: SchemaValue): boolean {
    const sets = this.#sets.get(schema) ?? [[schema]]
    return sets.some((schemas) => schemas.length > 0 && !schemas.includes(false))
  }

  /**
   * The sets of schemas that may apply where a set of them does, some of which are unions of
   * alternatives.
   */
  #flatten(schemas: readonly SchemaValue[]): Sets {
    let sets: Sets = [[]]
    for (const schema of schemas) {
      const alternatives = this.#sets.get(schema) ?? [[schema]]
      const isTooMany = sets.length * alternatives.length > maxAlternatives
      sets = isTooMany
        ? [...sets, ...alternatives, []]
        : sets.flatMap((set) => alternatives.map((other) => [...set, ...other]))
    }
    return sets
  }

  /** What tells a set of schemas from others. */
  key(schemas: readonly SchemaValue[]): string {
    return [...new Set(schemas.map((schema) => this.id(schema)))].sort((left, right) => left - right).join()
  }

  /** A number for a schema, or for a list of branches. */
  id(value: unknown): number {
    const id = this.#ids.get(value) ?? this.#ids.size
    this.#ids.set(value, id)
    return id
  }
}
