import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { type Bundle, toRegExp } from './bundle.js'
import { isSchema, oncePerSchema, unionBranches } from './keywords.js'

/** The kinds of JSON values, as bits, since a schema may accept several. */
export const kindBits = {
  null: 1,
  boolean: 2,
  number: 4,
  string: 8,
  array: 16,
  object: 32,
  scalar: 15,
  all: 63
} as const

const kindOfType = (type: string): number =>
  type === 'integer' ? kindBits.number : kindBits[type as keyof typeof kindBits]
const kindOfValue = (value: unknown): number =>
  kindOfType(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
const anyKindOf = (sets: readonly number[]) => sets.reduce((all, set) => all | set, 0)

/** `readOnly`: only the server sets the field. `writeOnly`: it is never sent. */
export type Flag = 'readOnly' | 'writeOnly'

/** A union of objects whose branches have different constants in one field. */
export interface DiscriminatedUnion {
  readonly branches: readonly SchemaValue[]
  /** The name of the field. */
  readonly discriminator: string
  /** The index of the branch for each constant. */
  readonly branchByValue: ReadonlyMap<unknown, number>
  /** Whether each branch requires the field. */
  readonly isRequired: boolean
}

type Constants = Map<string, ReadonlySet<unknown>>

/** Reads single schemas of a bundle, with the schemas that apply to the same value. */
export class SchemaReader {
  readonly #kinds = new Map<JsonSchema, number>()
  readonly #unions = new Map<readonly SchemaValue[], DiscriminatedUnion | undefined>()

  /** Returns the possible constants of the fields of an object, by name. */
  readonly #constants = oncePerSchema((schema): Constants => {
    const constants: Constants = new Map()
    if (!isSchema(schema)) return constants
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const values = this.#valuesOf(field)
      if (values !== undefined) constants.set(name, new Set(values))
    }
    const others = this.always(schema).map((part) => this.#constants(part))
    for (const branches of [schema.anyOf, schema.oneOf]) {
      const [first = new Map<string, never>(), ...rest] = (branches ?? []).map((branch) => this.#constants(branch))
      const common = [...first.keys()].filter((name) => rest.every((branch) => branch.has(name)))
      const valuesOf = (name: string) => [first, ...rest].flatMap((branch) => [...(branch.get(name) as Set<unknown>)])
      others.push(new Map(common.map((name) => [name, new Set(valuesOf(name))])))
    }
    for (const other of others)
      for (const [name, values] of other) if (!constants.has(name)) constants.set(name, values)
    return constants
  })

  constructor(readonly bundle: Bundle) {}

  /** Returns the schemas that may apply to the same value, without branches of unions. */
  beside(schema: JsonSchema): readonly SchemaValue[] {
    return [...this.always(schema), ...this.conditional(schema)]
  }

  /** Returns the schemas that apply only to some values: conditions and dependencies. */
  conditional(schema: JsonSchema): readonly JsonSchema[] {
    // `then` and `else` have no effect without `if`.
    const ofIf = schema.if === undefined ? [] : [schema.if, schema.then, schema.else]
    return [...ofIf, ...Object.values(schema.dependencies ?? {})].filter(isSchema)
  }

  /** Returns the schemas that apply to every value: the target of the reference, and `allOf`. */
  always(schema: JsonSchema): readonly SchemaValue[] {
    const target = this.bundle.target(schema)
    return [...(target === undefined ? [] : [target]), ...(schema.allOf ?? [])]
  }

  /**
   * Returns the accepted kinds of values, as bits. It terminates, since the bundle refuses circles.
   */
  kinds(schema: SchemaValue): number {
    if (!isSchema(schema)) return schema ? kindBits.all : 0
    const ready = this.#kinds.get(schema)
    if (ready !== undefined) return ready
    const { type, enum: values, const: constant, anyOf, oneOf } = schema
    const sets = this.always(schema).map((part) => this.kinds(part))
    if (type !== undefined) sets.push(anyKindOf([type].flat().map(kindOfType)))
    if (values !== undefined) sets.push(anyKindOf(values.map(kindOfValue)))
    if (constant !== undefined) sets.push(kindOfValue(constant))
    for (const branches of [anyOf, oneOf])
      if (branches !== undefined) sets.push(anyKindOf(branches.map((branch) => this.kinds(branch))))
    const all = sets.reduce((left, set) => left & set, kindBits.all)
    this.#kinds.set(schema, all)
    return all
  }

  /**
   * Returns whether a schema, or one that may apply to the same value, has a flag. One branch is
   * enough: what it hides must not leave through another one.
   */
  isFlagged(schema: SchemaValue, flag: Flag, visited = new Set<SchemaValue>()): boolean {
    if (!isSchema(schema) || visited.has(schema)) return false
    visited.add(schema)
    if (schema[flag] === true) return true
    return [...this.always(schema), ...unionBranches(schema)].some((part) => this.isFlagged(part, flag, visited))
  }

  /** Returns the discriminator of a union, if its branches have one. */
  discriminatedUnion(branches: readonly SchemaValue[]): DiscriminatedUnion | undefined {
    if (this.#unions.has(branches)) return this.#unions.get(branches)
    // A branch may lead back to its union.
    this.#unions.set(branches, undefined)
    const objects = branches.flatMap((branch, index) =>
      (this.kinds(branch) & kindBits.object) === 0 ? [] : [{ index, constants: this.#constants(branch) }]
    )
    const [first, ...others] = objects
    const names = first === undefined || others.length === 0 ? [] : [...first.constants.keys()]
    const discriminators = names.filter((name) => {
      const sets = objects.map(({ constants }) => constants.get(name))
      const values = sets.flatMap((set) => [...(set ?? [])])
      return !sets.includes(undefined) && !values.some(isNoScalar) && new Set(values).size === values.length
    })
    // Prefers a required field: without a discriminator, a value could belong to any branch.
    const isAsked = (name: string) => objects.every(({ index }) => this.#asksFor(branches[index] as SchemaValue, name))
    const required = discriminators.find(isAsked)
    const discriminator = required ?? discriminators[0]
    if (discriminator === undefined) return undefined
    const entries = objects.flatMap(({ index, constants }) =>
      [...(constants.get(discriminator) as Set<unknown>)].map((value) => [value, index] as const)
    )
    const tagged = { branches, discriminator, branchByValue: new Map(entries), isRequired: required !== undefined }
    this.#unions.set(branches, tagged)
    return tagged
  }

  #asksFor(schema: SchemaValue, name: string): boolean {
    if (!isSchema(schema)) return false
    return schema.required?.includes(name) === true || this.always(schema).some((part) => this.#asksFor(part, name))
  }

  #valuesOf(field: SchemaValue, hops = 0): readonly unknown[] | undefined {
    if (!isSchema(field) || hops > 9) return undefined
    if (field.const !== undefined) return [field.const]
    if (field.enum !== undefined) return field.enum
    // This type has only one value.
    if (this.kinds(field) === kindBits.null) return [null]
    const target = this.bundle.target(field)
    if (target !== undefined) return this.#valuesOf(target, hops + 1)
    const values = unionBranches(field).map((branch) => this.#valuesOf(branch, hops + 1))
    return values.length === 0 || values.includes(undefined) ? undefined : (values.flat() as unknown[])
  }
}

// Constants are compared by identity, so objects can't be discriminators.
const isNoScalar = (value: unknown) => typeof value === 'object' && value !== null

/**
 * Returns the schemas that a single schema has for a field: of its properties and patterns, or else
 * of additional properties.
 */
export function schemasOfField(schema: JsonSchema, name: string): readonly SchemaValue[] {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema
  const schemas = Object.hasOwn(properties, name) ? [properties[name] as SchemaValue] : []
  for (const [pattern, matched] of Object.entries(patternProperties))
    if (toRegExp(pattern).test(name)) schemas.push(matched)
  return schemas.length === 0 && isPermission(additionalProperties) ? [additionalProperties] : schemas
}

/** Returns the schemas that a single schema has for an item. */
export function schemasOfItem({ items, additionalItems }: JsonSchema, at: number): readonly SchemaValue[] {
  const isTuple = isTupleItems(items)
  if (isTuple && at < items.length) return [items[at] as SchemaValue]
  const rest = isTuple ? additionalItems : (items as SchemaValue | undefined)
  return rest === undefined ? [] : [rest]
}

/** Returns whether a keyword such as `additionalProperties` is there and accepts something. */
export const isPermission = (schema: SchemaValue | undefined): schema is SchemaValue =>
  schema !== undefined && schema !== false
const isTupleItems = (value: unknown): value is readonly SchemaValue[] => Array.isArray(value)
