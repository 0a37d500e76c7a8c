import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { Bundle } from './bundle.js'
import { isDefined } from './combined.js'
import {
  flagKeywords,
  hasDefinitions,
  isApplicator,
  isAssertion,
  isSchema,
  mapSubschemas,
  subschemasOf
} from './keywords.js'

const targetOf = (bundle: Bundle, schema: JsonSchema) => bundle.target(schema) ?? schema

/**
 * Gives the two sides of a schema that transforms, what is sent and what leaves, the flags of each
 * other: a transformation forgets what was said of the value before it, and what says of a password
 * that it does not leave means its hash, too. What leaves of a transformation that is not described
 * may have the fields of what was sent: those that are hidden there stay hidden.
 *
 * @returns both sides, as copies where one has flags
 */
export function withFlagsOfBoth(
  input: JsonSchema,
  output: JsonSchema
): { readonly input: JsonSchema; readonly output: JsonSchema } {
  const hasFlags = (side: JsonSchema) => flagKeywords.some((flag) => JSON.stringify(side).includes(`"${flag}":true`))
  if (![input, output].some(hasFlags)) return { input, output }
  const [left, right] = [new Bundle(input), new Bundle(output)]
  const visited = new Set<string>()
  const hidden = new HiddenParts(left)
  const undescribed = new Set<JsonSchema>()
  const pair = (schema: SchemaValue, other: SchemaValue | undefined): void => {
    if (!isSchema(schema) || !isSchema(other)) return
    const places = `${left.pointers.get(schema)} ${right.pointers.get(other)}`
    if (visited.has(places)) return
    visited.add(places)
    for (const flag of flagKeywords.filter((flag) => schema[flag] === true || other[flag] === true))
      for (const side of [schema, other]) Object.assign(side, { [flag]: true })
    if (acceptsAnyMembers(other)) undescribed.add(other)
    if (undescribed.has(other) && hidden.has(schema))
      Object.assign(other, { allOf: [...(other.allOf ?? []), hidden.referenceTo(schema)] })
    pair(targetOf(left, schema), targetOf(right, other))
    const others = new Map([...subschemasOf(other)].map(([part, way]) => [way.join('/'), part]))
    // Definitions are met by what refers to them: a library numbers them, on each side by itself.
    for (const [part, way] of subschemasOf(schema)) if (!hasDefinitions(way[0])) pair(part, others.get(way.join('/')))
  }
  pair(left.schema, right.schema)
  return { input: left.schema, output: hidden.addTo(right.schema) }
}

const acceptsAnyMembers = (schema: JsonSchema) => !Object.keys(schema).some(isAssertion)

/**
 * What a schema hides at any depth, as a schema that says nothing else and lets all other fields
 * pass.
 */
class HiddenParts {
  readonly #bundle: Bundle
  /** The schemas that hide something within, or themselves. */
  readonly #hiding = new Set<SchemaValue>()
  #isUsed = false

  constructor(bundle: Bundle) {
    this.#bundle = bundle
    const parts = [...bundle.pointers.keys()]
    const hides = (part: JsonSchema) =>
      part.writeOnly === true ||
      [bundle.target(part), ...[...subschemasOf(part)].map(([inner]) => inner)].some((inner) => this.#isHiding(inner))
    // A schema may lead back to itself, so what leads to one that hides something is looked for
    // until no more is found.
    for (let before = -1; before < this.#hiding.size; ) {
      before = this.#hiding.size
      for (const part of parts) if (hides(part)) this.#hiding.add(part)
    }
  }

  #isHiding(schema: SchemaValue | undefined): boolean {
    return schema !== undefined && this.#hiding.has(schema)
  }

  has(schema: JsonSchema): boolean {
    return this.#hiding.has(schema)
  }

  referenceTo(schema: JsonSchema): JsonSchema {
    this.#isUsed = true
    return { $ref: `#/$defs/${definitionName}${this.#bundle.pointers.get(schema)}` }
  }

  /** Adds the definition that references lead to, where there are any. */
  addTo(schema: JsonSchema): JsonSchema {
    if (!this.#isUsed) return schema
    return { ...schema, $defs: { ...schema.$defs, [definitionName]: this.#copy(this.#bundle.schema) } }
  }

  #copy(schema: SchemaValue): SchemaValue {
    if (!isSchema(schema) || !this.#hiding.has(schema)) return {}
    const { properties, patternProperties, additionalProperties, unevaluatedProperties, ...words } = mapSubschemas(
      schema,
      (part) => this.#copy(part)
    )
    // All other fields pass here, also where a part of it is copied, so that none would be left for
    // `unevaluatedProperties` to hide.
    const others = [additionalProperties, unevaluatedProperties].find(isSchema)
    const target = this.#bundle.target(schema)
    const {
      oneOf,
      not: _,
      ...applying
    } = Object.fromEntries(
      Object.entries(words).filter(([keyword]) => keyword === 'writeOnly' || isApplicator(keyword))
    ) as JsonSchema
    const branches = [...(applying.anyOf ?? []), ...(oneOf ?? [])]
    return {
      ...applying,
      ...(isSchema(target) && { $ref: this.referenceTo(target).$ref }),
      ...(branches.length > 0 && { anyOf: branches }),
      ...(properties && { properties }),
      ...(patternProperties && { patternProperties }),
      ...([properties, patternProperties, additionalProperties, others].some(isDefined) && {
        additionalProperties: others ?? true
      })
    }
  }
}

// No library names a definition so.
const definitionName = 'hiddenOfSent'
