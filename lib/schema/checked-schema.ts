import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { leastSent } from './body-names.js'
import { unconditional } from './combined.js'
import { isSchema, mapSubschemas, type UnionKeyword, unionBranches, unionKeywords } from './keywords.js'
import { toFragment } from './pointer.js'
import type { DiscriminatedUnion, SchemaReader } from './reader.js'

/**
 * Our own keywords. They replace keywords of JSON Schema whose check by Ajv a client could slow
 * down.
 */
export const ownKeywords = { equals: 'services:equals', distinct: 'services:distinct' } as const

/** How bodies differ from the schema: server-set fields, and unions with a discriminator. */
interface CheckOptions {
  /** For each schema, the names that its objects may lack, because the server sets them. */
  readonly serverSet: ReadonlyMap<JsonSchema, ReadonlySet<string>>
  /** Returns the discriminator of a union, if every body has it. */
  discriminatorOf(branches: readonly SchemaValue[]): DiscriminatedUnion | undefined
  /**
   * Whether the server sets the discriminator of a union, so that a body may match several
   * branches.
   */
  isOpen(branches: readonly SchemaValue[]): boolean
}

const checkedAsWritten: CheckOptions = { serverSet: new Map(), discriminatorOf: () => undefined, isOpen: () => false }

type Words = Record<string, unknown>

/**
 * A copy of a bundle for Ajv: it accepts bodies without server-set fields, and its check takes
 * linear time.
 */
export class CheckedSchema {
  readonly schema: JsonSchema
  readonly #reader: SchemaReader
  readonly #options: CheckOptions
  readonly #pointers = new Map<JsonSchema, string>()
  readonly #referring = new Map<Words, JsonSchema>()

  constructor(reader: SchemaReader, options: CheckOptions = checkedAsWritten) {
    this.#reader = reader
    this.#options = options
    this.schema = this.#copy(reader.bundle.schema, '')
    for (const [copy, target] of this.#referring) copy.$ref = `#${this.pointerTo(target)}`
  }

  /** Returns where the copy of a schema is, as the fragment of a reference. */
  pointerTo(schema: JsonSchema): string {
    return this.#pointers.get(schema) as string
  }

  #copy(schema: JsonSchema, pointer: string): Words {
    if (!this.#pointers.has(schema)) this.#pointers.set(schema, pointer)
    const copy: Words = mapSubschemas(this.#rewrite(schema), (part, keyword, key) =>
      isSchema(part) ? this.#copy(part, pointer + toFragment(key === undefined ? [keyword] : [keyword, key])) : part
    )
    const target = this.#reader.bundle.target(schema)
    if (isSchema(target)) this.#referring.set(copy, target)
    return copy
  }

  /**
   * Returns a schema with the same rules in words that Ajv checks well. The schemas in it stay the
   * same objects.
   */
  #rewrite(schema: JsonSchema): JsonSchema {
    const { unevaluatedProperties, unevaluatedItems, uniqueItems, ...rest } = schema
    const words: Words = rest
    const parts: SchemaValue[] = []
    for (const keyword of unionKeywords) {
      const branches = schema[keyword]
      const union = branches && this.#options.discriminatorOf(branches)
      if (union === undefined) continue
      delete words[keyword]
      parts.push(toBranchConditions(union, keyword))
    }
    if (schema.oneOf !== undefined && this.#options.isOpen(schema.oneOf)) {
      delete words.oneOf
      parts.push({ anyOf: schema.oneOf })
    }
    if (isSchema(unevaluatedProperties) || unevaluatedProperties === false)
      parts.push(...this.#otherFields(schema, unevaluatedProperties))
    if (unevaluatedItems !== undefined) parts.push(...this.#otherItems(schema, unevaluatedItems))
    if (parts.length > 0) words.allOf = [...(schema.allOf ?? []), ...parts]
    if (uniqueItems === true) words[ownKeywords.distinct] = true
    compareObjects(words)
    this.#requireLess(words, schema)
    return words
  }

  #requireLess(words: Words, schema: JsonSchema): void {
    const names = this.#options.serverSet.get(schema)
    if (names === undefined) return
    const { required, minProperties } = schema
    if (required !== undefined) words.required = required.filter((name) => !names.has(name))
    if (typeof minProperties === 'number') words.minProperties = leastSent(minProperties, names.size)
  }

  /**
   * `unevaluatedProperties` in words of draft 7. Unions and conditions beside it are refused at
   * startup, but a discriminated union, for which `BodyNames` knows the branch.
   */
  #otherFields(schema: JsonSchema, rule: SchemaValue): JsonSchema[] {
    const beside = this.#beside(schema)
    const isForAll = ({ additionalProperties, unevaluatedProperties }: JsonSchema) =>
      (additionalProperties ?? unevaluatedProperties) !== undefined
    if (schema.additionalProperties !== undefined || beside.some(isForAll)) return [unused(rule)]
    const all = [schema, ...beside]
    const known = (maps: readonly (object | undefined)[]) =>
      Object.fromEntries(maps.flatMap((map = {}) => Object.keys(map)).map((name) => [name, true]))
    const properties = known(all.map((part) => part.properties))
    const patternProperties = known(all.map((part) => part.patternProperties))
    return [{ properties, patternProperties, additionalProperties: rule }]
  }

  /** `unevaluatedItems` in words of draft 7. */
  #otherItems(schema: JsonSchema, rule: SchemaValue): JsonSchema[] {
    const beside = this.#beside(schema)
    const all = [schema, ...beside]
    const isForAll = ({ items, additionalItems }: JsonSchema) =>
      (items !== undefined && !Array.isArray(items)) || (Array.isArray(items) && additionalItems !== undefined)
    if (all.some(isForAll) || beside.some(({ unevaluatedItems }) => unevaluatedItems !== undefined))
      return [unused(rule)]
    const length = Math.max(0, ...all.map(({ items }) => (Array.isArray(items) ? items.length : 0)))
    return [{ items: Array.from({ length }, () => true), additionalItems: rule }]
  }

  /** Returns the other schemas that apply where a schema does. */
  #beside(schema: JsonSchema): readonly JsonSchema[] {
    const parts = [...this.#reader.always(schema), ...unionBranches(schema)]
    return [...unconditional(parts, this.#reader, (branches) => branches)]
  }
}

/** Keeps a schema that has no effect here: references may lead to it. */
const unused = (schema: SchemaValue): JsonSchema => ({ $defs: { unused: schema } })

/**
 * Returns one condition per branch: to try all branches takes exponential time where unions are
 * nested.
 */
function toBranchConditions(
  { branches, discriminator, branchByValue }: DiscriminatedUnion,
  keyword: UnionKeyword
): JsonSchema {
  const objects = new Set(branchByValue.values())
  const byValue = {
    discriminator: { propertyName: discriminator },
    required: [discriminator],
    properties: { [discriminator]: { enum: [...branchByValue.keys()] } },
    allOf: [...objects].map((index) => {
      const values = [...branchByValue].filter(([, other]) => other === index).map(([value]) => value)
      return condition(
        { required: [discriminator], properties: { [discriminator]: { enum: values } } },
        branches[index] ?? true
      )
    })
  }
  const others = branches.filter((_, index) => !objects.has(index))
  if (others.length === 0) return { type: 'object', ...byValue }
  // Errors list the types of this union.
  return condition({ type: 'object' }, byValue, { [keyword]: [{ type: 'object' }, ...others] })
}

const condition = (test: JsonSchema, yes: SchemaValue, no: SchemaValue = true): JsonSchema =>
  Object.fromEntries([
    ['if', test],
    ['then', yes],
    ['else', no]
  ])

/**
 * Compares with objects by our own keyword: Ajv calls a `valueOf` or `toString` that a client has
 * sent.
 */
function compareObjects(words: Words): void {
  const lists = [words.enum, words.const === undefined ? undefined : [words.const]].filter(Array.isArray)
  if (!lists.flat().some((value) => typeof value === 'object' && value !== null)) return
  delete words.enum
  delete words.const
  words[ownKeywords.equals] = lists
}
