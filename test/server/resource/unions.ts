import { isObject, isOfType, typeOf } from './evaluation.js'
import { isNode, listOf, mapOf, type Node, type References, type Schema } from './references.js'

/** What is known of unions: which branch a tag decides for, and which types of values may stand at a place. */
export class Unions {
  readonly #references: References
  readonly #constants = new Map<Schema, ReadonlyMap<string, ReadonlySet<unknown>>>()

  constructor(references: References) {
    this.#references = references
  }

  /** The schemas that a schema applies to the same place, and that a value must fit. */
  must(schema: Node): readonly Schema[] {
    const target = this.#references.target(schema)
    return [...(target === undefined ? [] : [target]), ...listOf(schema.allOf)]
  }

  /** The branches of a union that an object may be of: one where a tag says which. Of several tags one that each branch asks for comes first. */
  branches(branches: readonly Schema[], value: unknown): readonly Schema[] {
    const objects = branches.filter((branch) => this.mayHold(branch, {}))
    if (!isObject(value) || objects.length < 2) return branches
    const constants = objects.map((branch) => this.#constantsOf(branch))
    const isTag = (name: string) => {
      const all = constants.flatMap((fields) => [...(fields.get(name) ?? [])])
      return constants.every((fields) => fields.has(name)) && new Set(all).size === all.length
    }
    const tags = [...(constants[0]?.keys() ?? [])].filter(isTag)
    const tag = tags.find((name) => objects.every((branch) => this.#asksFor(branch, name))) ?? tags[0]
    if (tag === undefined || !Object.hasOwn(value, tag)) return branches
    const chosen = objects.find((_, index) => constants[index]?.get(tag)?.has(value[tag]))
    return chosen === undefined ? branches : [chosen]
  }

  #asksFor(schema: Schema, name: string): boolean {
    if (!isNode(schema)) return false
    const isAsked = Array.isArray(schema.required) && schema.required.includes(name)
    return isAsked || this.must(schema).some((part) => this.#asksFor(part, name))
  }

  /** The fields of an object that can have certain values only, and which. */
  #constantsOf(schema: Schema): ReadonlyMap<string, ReadonlySet<unknown>> {
    const before = this.#constants.get(schema)
    if (before !== undefined) return before
    const constants = new Map<string, ReadonlySet<unknown>>()
    this.#constants.set(schema, constants)
    if (!isNode(schema)) return constants
    const add = (name: string, values: ReadonlySet<unknown> | undefined) => {
      const before = constants.get(name)
      if (values !== undefined)
        constants.set(name, before === undefined ? values : new Set([...values].filter((value) => before.has(value))))
    }
    for (const [name, field] of mapOf(schema.properties)) add(name, this.#valuesOf(field))
    for (const part of this.must(schema)) for (const [name, values] of this.#constantsOf(part)) add(name, values)
    for (const union of [schema.anyOf, schema.oneOf].filter((list) => list !== undefined)) {
      const [first = new Map(), ...others] = listOf(union).map((branch) => this.#constantsOf(branch))
      for (const [name, values] of first)
        if (others.every((fields) => fields.has(name)))
          add(name, new Set([...values, ...others.flatMap((fields) => [...(fields.get(name) ?? [])])]))
    }
    return constants
  }

  #valuesOf(field: Schema): ReadonlySet<unknown> | undefined {
    if (!isNode(field)) return undefined
    if ('const' in field) return new Set([field.const])
    if (Array.isArray(field.enum)) return new Set(field.enum)
    if (field.type === 'null') return new Set([null])
    const target = this.#references.target(field)
    if (target !== undefined) return this.#valuesOf(target)
    const branches = listOf(field.anyOf ?? field.oneOf).map((branch) => this.#valuesOf(branch))
    const isAll = branches.length > 0 && branches.every((values) => values !== undefined)
    return isAll ? new Set(branches.flatMap((values) => [...(values ?? [])])) : undefined
  }

  /** Whether a value of this type may stand where a schema is. */
  mayHold(schema: Schema, value: unknown): boolean {
    if (!isNode(schema)) return schema
    const { type, enum: values } = schema
    if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return false
    const listed = 'const' in schema ? [schema.const] : (values as unknown[] | undefined)
    if (listed !== undefined && !listed.some((constant) => typeOf(constant) === typeOf(value))) return false
    const unions = [schema.anyOf, schema.oneOf, schema.either].filter((list) => list !== undefined).map(listOf)
    return (
      this.must(schema).every((part) => this.mayHold(part, value)) &&
      unions.every((branches) => branches.some((branch) => this.mayHold(branch, value)))
    )
  }
}
