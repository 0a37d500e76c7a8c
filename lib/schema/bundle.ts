import type { JsonSchema, SchemaMap, SchemaValue } from '../../types/standard-schema.js'
import {
  definitionKeywords,
  hasDefinitions,
  innerPlace,
  isInPlace,
  isSchema,
  mapSubschemas,
  misspeltIn,
  misuseIn,
  subschemasOf
} from './keywords.js'
import { hintFor } from './likely-name.js'
import { toFragment } from './pointer.js'
import { References } from './references.js'

type Copy = Record<string, unknown>

/**
 * A copy of a schema that includes all schemas it refers to, in the words of draft 7. Tuples are
 * lists of `items`, and `nullable` is a union. It accepts the same values.
 */
export class Bundle {
  readonly schema: JsonSchema
  /** The JSON Pointer of each schema, as the fragment of a reference. */
  readonly pointers = new Map<JsonSchema, string>()
  readonly #copies = new Map<JsonSchema, Copy>()
  /** The copies with references, by their originals. A nullable one is within a union. */
  readonly #referring = new Map<JsonSchema, Copy>()
  readonly #targets = new Map<JsonSchema, SchemaValue>()
  readonly #withoutCircle = new Set<JsonSchema>()
  /** Definitions of other documents, and of fields. */
  readonly #definitions: Copy = {}
  readonly #document: JsonSchema

  /** References that lead nowhere. They accept any value. */
  readonly missing: string[] = []

  /**
   * @param shared the schemas of `app.addSchema`, by their ids
   * @throws {TypeError} if a keyword has a value of the wrong type, a reference leads in a circle,
   * a type is unknown, or a pattern is not a regular expression
   */
  constructor(document: JsonSchema, shared: Readonly<Record<string, unknown>> = {}) {
    this.#document = document
    const references = new References([document, ...Object.values(shared).filter(isSchema)])
    const copy = this.#copy(this.#document) as Copy
    // A target outside the document may refer to further ones: the list grows while it is read.
    const withReference = [...this.#copies.keys()].filter(({ $ref }) => $ref !== undefined)
    for (const source of withReference) {
      const target = references.follow(source)
      if (target === undefined) {
        this.missing.push(String(source.$ref))
        continue
      }
      const isNew = isSchema(target) && !this.#copies.has(target)
      const before = this.#copies.size
      if (isNew) this.#define('shared', this.#copy(target))
      if (isNew) withReference.push(...[...this.#copies.keys()].slice(before).filter(({ $ref }) => $ref !== undefined))
      const referring = this.#referring.get(source) as Copy
      this.#targets.set(referring, isSchema(target) ? (this.#copies.get(target) as Copy) : target)
    }
    if (Object.keys(this.#definitions).length > 0) copy.$defs = { ...Object(copy.$defs), ...this.#definitions }
    this.schema = copy
    this.#point(copy, '')
    for (const [referring, target] of this.#targets) this.#refer(referring as Copy, target)
    for (const schema of this.pointers.keys()) this.#refuseCircle(schema)
  }

  get hasReferences(): boolean {
    return this.#targets.size > 0
  }

  /** Returns the target of the reference of a schema. */
  target(schema: JsonSchema): SchemaValue | undefined {
    return this.#targets.get(schema)
  }

  /** Returns the places of all schemas that apply to a value or within it, the outermost first. */
  placesFrom(start: SchemaValue, place: string): ReadonlyMap<JsonSchema, string> {
    const places = new Map<JsonSchema, string>()
    const add = (schema: SchemaValue | undefined, at: string) => {
      if (isSchema(schema) && !places.has(schema)) places.set(schema, at)
    }
    add(start, place)
    for (const [schema, at] of places) {
      add(this.target(schema), at)
      for (const [part, [keyword = '', key]] of subschemasOf(schema))
        if (!hasDefinitions(keyword)) add(part, innerPlace(at, keyword, key))
    }
    return places
  }

  #copy(schema: SchemaValue, place = ''): SchemaValue {
    if (!isSchema(schema)) return schema
    const copied = this.#copies.get(schema)
    if (copied !== undefined) return copied
    assertJsonSchema(schema, place)
    const { $id, $anchor, $schema, nullable, ...words } = mapSubschemas(schema, (part, keyword, key) =>
      this.#copy(part, innerPlace(place, keyword, key))
    )
    const copy = inDraft7(words)
    if (schema !== this.#document) this.#moveDefinitions(copy)
    if (schema.$ref !== undefined) this.#referring.set(schema, copy)
    const whole = nullable === true ? unionWithNull(copy) : copy
    this.#copies.set(schema, whole)
    return whole
  }

  // Programs that read a document look for definitions at its root.
  #moveDefinitions(copy: Copy): void {
    for (const keyword of definitionKeywords) {
      for (const [name, definition] of Object.entries((copy[keyword] ?? {}) as SchemaMap))
        this.#define(name, definition)
      delete copy[keyword]
    }
  }

  #define(name: string, definition: SchemaValue): void {
    const names = new Set(
      [this.#document.$defs, this.#document.definitions, this.#definitions].flatMap((map) => Object.keys(map ?? {}))
    )
    let free = name
    for (let number = 2; names.has(free); number++) free = `${name}${number}`
    this.#definitions[free] = definition
  }

  // Validation of such a circle would not end, since each schema applies to the same value.
  #refuseCircle(schema: SchemaValue, around = new Set<JsonSchema>(), done = this.#withoutCircle): void {
    if (!isSchema(schema) || done.has(schema)) return
    if (around.has(schema))
      throw new TypeError(`The schema at '#${this.pointers.get(schema)}' contains itself at the same place of a value`)
    around.add(schema)
    const parts = [...subschemasOf(schema)].filter(([, [keyword]]) => isInPlace(keyword as string))
    for (const part of [this.target(schema) ?? true, ...parts.map(([part]) => part)])
      this.#refuseCircle(part, around, done)
    around.delete(schema)
    done.add(schema)
  }

  #point(schema: JsonSchema, pointer: string): void {
    if (this.pointers.has(schema)) return
    this.pointers.set(schema, pointer)
    for (const [part, way] of subschemasOf(schema)) if (isSchema(part)) this.#point(part, pointer + toFragment(way))
  }

  #refer(referring: Copy, target: SchemaValue): void {
    if (isSchema(target)) referring.$ref = `#${this.pointers.get(target)}`
    else {
      delete referring.$ref
      referring.allOf = [...((referring.allOf ?? []) as SchemaValue[]), target]
    }
  }
}

const jsonTypes = new Set<unknown>(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'])

function assertJsonSchema(schema: JsonSchema, place: string): void {
  const at = place === '' ? '' : `${place}: `
  const misuse = misuseIn(schema)
  if (misuse !== undefined) throw new TypeError(`${at}The schema is no JSON Schema: ${misuse}`)
  const unknown = [schema.type ?? []].flat().find((type) => !jsonTypes.has(type))
  if (unknown !== undefined)
    throw new TypeError(
      `${at}There is no type '${String(unknown)}'${hintFor(String(unknown), [...jsonTypes] as string[])}`
    )
  const keyword = misspeltIn(schema)
  if (keyword !== undefined)
    throw new TypeError(`${at}There is no keyword '${keyword.name}'. Did you mean '${keyword.meant}'?`)
  const patterns = [schema.pattern ?? [], Object.keys(Object(schema.patternProperties))].flat()
  for (const pattern of patterns) toRegExp(pattern, at)
}

const expressions = new Map<string, RegExp>()

/**
 * Compiles a pattern of a schema. Patterns that are invalid with the flag `u`, such as `\-`, are
 * compiled without it.
 * @throws {TypeError} if it is not a regular expression
 */
export function toRegExp(pattern: string, at = ''): RegExp {
  const expression = expressions.get(pattern) ?? compile(pattern, at)
  if (expressions.size < 10_000) expressions.set(pattern, expression)
  return expression
}

function compile(pattern: string, at: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    try {
      return new RegExp(pattern)
    } catch (error) {
      throw new TypeError(`${at}The pattern '${pattern}' is no regular expression: ${(error as Error).message}`)
    }
  }
}

function inDraft7({
  prefixItems,
  items,
  dependencies,
  dependentSchemas,
  dependentRequired,
  ...words
}: JsonSchema): Copy {
  const all = [dependencies, dependentSchemas, dependentRequired].flatMap((map) => Object.entries(Object(map)))
  return {
    ...(words.enum?.length === 0 ? withoutValues(words) : words),
    ...(prefixItems !== undefined && { items: prefixItems, ...(items !== undefined && { additionalItems: items }) }),
    ...(prefixItems === undefined && items !== undefined && { items }),
    ...(all.length > 0 && { dependencies: dependenciesOf(all) })
  }
}

/** Replaces an empty `enum`, which Ajv ignores. */
const withoutValues = ({ enum: _, ...words }: JsonSchema): Copy => ({
  ...words,
  allOf: [...(words.allOf ?? []), false]
})

/** Merges the dependencies of several keywords. Required names become a schema. */
function dependenciesOf(entries: readonly (readonly [string, unknown])[]): Copy {
  const dependencies: Copy = {}
  for (const [name, value] of entries) {
    const schema = Array.isArray(value) ? { required: value } : value
    dependencies[name] = Object.hasOwn(dependencies, name) ? { allOf: [dependencies[name], schema] } : schema
  }
  return dependencies
}

/**
 * Writes `nullable: true` of OpenAPI 3.0 as a union: `null` passes whatever the other keywords say.
 */
function unionWithNull(copy: Copy): Copy {
  const { default: preset } = copy
  delete copy.default
  // Keeps the object, since its reference is stored by it.
  return { anyOf: [copy, { type: 'null' }], ...(preset !== undefined && { default: preset }) }
}
