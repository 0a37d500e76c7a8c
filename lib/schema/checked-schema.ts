import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { unconditional } from './combined.js'
import { isKeyword, isSchema, mapSubschemas, type UnionKeyword, unionKeywords } from './keywords.js'
import { toFragment } from './pointer.js'
import { type DiscriminatedUnion, kindBits, type SchemaReader } from './reader.js'
import { leastSent } from './schema-flags.js'

/**
 * Our own keywords. They replace keywords of JSON Schema whose check by Ajv a client could slow
 * down.
 */
export const ownKeywords = { equals: 'services:equals', distinct: 'services:distinct' } as const

/** Returns the names that objects of a schema lack, because the server sets them. */
type ServerSetNames = (schema: JsonSchema) => ReadonlySet<string>

type Words = Record<string, unknown>

const comparedFormats = /^(iso-)?(date|time|date-time)$/

/**
 * A copy of a bundle for Ajv: it accepts bodies without server-set fields, and its check takes
 * linear time.
 */
export class CheckedSchema {
  readonly schema: JsonSchema
  readonly #reader: SchemaReader
  readonly #serverSetNames: ServerSetNames
  readonly #pointers = new Map<JsonSchema, string>()
  readonly #referring = new Map<Words, JsonSchema>()

  constructor(reader: SchemaReader, serverSetNames: ServerSetNames = () => new Set()) {
    this.#reader = reader
    this.#serverSetNames = serverSetNames
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
    // Ajv refuses some keywords of older drafts, and limits of formats that it can't compare.
    const isChecked = (keyword: string) =>
      isKeyword(keyword) && (!/^format./.test(keyword) || comparedFormats.test(String(schema.format)))
    const words: Words = Object.fromEntries(Object.entries(rest).filter(([keyword]) => isChecked(keyword)))
    const parts: SchemaValue[] = []
    for (const keyword of unionKeywords) {
      const branches = schema[keyword]
      const union = branches && this.#decidedUnion(branches)
      if (union === undefined) continue
      delete words[keyword]
      parts.push(toBranchConditions(union, keyword))
    }
    if (unevaluatedProperties === false) parts.push(...this.#otherFields(schema))
    if (parts.length > 0) words.allOf = [...(schema.allOf ?? []), ...parts]
    if (uniqueItems === true) words[ownKeywords.distinct] = true
    compareObjects(words)
    this.#requireLess(words, schema)
    return words
  }

  /** Returns a union of objects of which each requires the discriminator. */
  #decidedUnion(branches: readonly SchemaValue[]): DiscriminatedUnion | undefined {
    const union = this.#reader.discriminatedUnion(branches)
    const isObject = (index: number) => this.#reader.kinds(branches[index] as SchemaValue) === kindBits.object
    return union?.isRequired && [...union.branchByValue.values()].every(isObject) ? union : undefined
  }

  #requireLess(words: Words, schema: JsonSchema): void {
    const names = this.#serverSetNames(schema)
    const { required, minProperties } = schema
    if (required !== undefined) words.required = required.filter((name) => !names.has(name))
    if (typeof minProperties === 'number') words.minProperties = leastSent(minProperties, names.size)
  }

  /** `unevaluatedProperties: false` in words of draft 7. */
  #otherFields(schema: JsonSchema): JsonSchema[] {
    const all = [...unconditional([schema], this.#reader, () => [])]
    const isForAll = ({ additionalProperties, unevaluatedProperties }: JsonSchema) =>
      additionalProperties !== undefined || (unevaluatedProperties ?? false) !== false
    if (all.some(isForAll)) return []
    const known = (maps: readonly (object | undefined)[]) =>
      Object.fromEntries(maps.flatMap((map = {}) => Object.keys(map)).map((name) => [name, true]))
    const properties = known(all.map((part) => part.properties))
    const patternProperties = known(all.map((part) => part.patternProperties))
    return [{ properties, patternProperties, additionalProperties: false }]
  }
}

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
