import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isSchema, oncePerSchema } from './keywords.js'
import { kindBits, type SchemaReader } from './reader.js'

/**
 * Whether an object may have fields that no schema names; `undefined` if a schema has no opinion.
 */
type Openness = 'open' | 'closed' | undefined

const mostOpen = (stated: readonly Openness[]): Openness =>
  stated.includes('open') ? 'open' : stated.includes('closed') ? 'closed' : undefined

/** Returns the openness that a schema states itself. */
export function statedOpenness(schema: JsonSchema): Openness {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
  const isAny = (value: unknown) => value === true || (isSchema(value) && Object.keys(value).length === 0)
  if (isAny(additionalProperties) || isAny(unevaluatedProperties)) return 'open'
  const rules = [properties, patternProperties, additionalProperties, unevaluatedProperties]
  return rules.some(isDefined) ? 'closed' : undefined
}

export const isDefined = (value: unknown) => value !== undefined

/** Returns whether a schema itself describes the items of a list. */
export const describesItems = ({ items, additionalItems }: JsonSchema): boolean =>
  [items, additionalItems].some(isDefined)

/** Returns the branches of a union that a value may belong to. */
type SelectBranches = (branches: readonly SchemaValue[]) => readonly SchemaValue[]

/**
 * Returns the openness of an intersection. An object is closed once one schema names fields, and
 * open once one says so. A union is as open as its most open branch.
 */
export function opennessOf(
  schemas: readonly SchemaValue[],
  reader: SchemaReader,
  possibleBranches: SelectBranches
): Openness {
  const ofSchema = oncePerSchema((schema): Openness => {
    if (!isSchema(schema)) return undefined
    const stated = [statedOpenness(schema), ...reader.always(schema).map(ofSchema)]
    for (const branches of [schema.anyOf, schema.oneOf]) {
      const objects = possibleBranches(branches ?? []).filter(
        (branch) => (reader.kinds(branch) & kindBits.object) !== 0
      )
      const ofBranches = objects.map(ofSchema)
      stated.push(ofBranches.includes('open') ? 'open' : ofBranches.includes(undefined) ? undefined : ofBranches[0])
    }
    if (reader.conditional(schema).some((schema) => ofSchema(schema) === 'open')) stated.push('open')
    return mostOpen(stated)
  })
  return mostOpen(schemas.map(ofSchema))
}

/**
 * Returns the schemas that apply to every value of an intersection.
 * @param certainBranches returns the branches of a union that apply in any case
 */
export function unconditional(
  schemas: readonly SchemaValue[],
  reader: SchemaReader,
  certainBranches: SelectBranches
): ReadonlySet<JsonSchema> {
  const applying = new Set<JsonSchema>()
  const gather = (schema: SchemaValue) => {
    if (!isSchema(schema) || applying.has(schema)) return
    applying.add(schema)
    reader.always(schema).forEach(gather)
    for (const branches of [schema.anyOf, schema.oneOf]) certainBranches(branches ?? []).forEach(gather)
  }
  schemas.forEach(gather)
  return applying
}

/** Picks the schemas of a field or an item. */
export interface MemberPlace {
  /** The kind of value that has such a member. */
  readonly kind: number
  /** Returns the schemas that a single schema has for it. */
  pick(schema: JsonSchema): readonly SchemaValue[]
}

interface MemberSchemas {
  readonly schemas: readonly SchemaValue[]
  /** Whether one of them applies to every value. */
  readonly isCertain: boolean
}

interface MemberContext {
  readonly reader: SchemaReader
  readonly possibleBranches: SelectBranches
  readonly place: MemberPlace
  readonly unionCache: UnionCache
}

/**
 * Returns the schemas of a field or an item. Schemas that apply to some values only, because of a
 * union or a condition, become one union: their flags and names always count, their types only if
 * each alternative has one.
 */
export function schemasWithin(
  schemas: readonly SchemaValue[],
  { reader, possibleBranches, place, unionCache }: MemberContext
): readonly SchemaValue[] {
  const ofSchema = oncePerSchema((schema): MemberSchemas => {
    if (!isSchema(schema)) return noSchemas
    const unions = [schema.anyOf, schema.oneOf].map((branches = []) =>
      possibleBranches(branches).filter((branch) => (reader.kinds(branch) & place.kind) !== 0)
    )
    return intersect([
      toMemberSchemas(place.pick(schema)),
      ...reader.always(schema).map(ofSchema),
      ...unions.map((branches) => unite(branches.map(ofSchema), unionCache)),
      ...reader.conditional(schema).map((schema) => unite([ofSchema(schema), noSchemas], unionCache))
    ])
  })
  return intersect(schemas.map(ofSchema)).schemas
}

const noSchemas: MemberSchemas = { schemas: [], isCertain: false }
const toMemberSchemas = (schemas: readonly SchemaValue[]): MemberSchemas => ({ schemas, isCertain: schemas.length > 0 })

const intersect = (members: readonly MemberSchemas[]): MemberSchemas => ({
  schemas: [...new Set(members.flatMap(({ schemas }) => schemas))],
  isCertain: members.some(({ isCertain }) => isCertain)
})

function unite(alternatives: readonly MemberSchemas[], unionCache: UnionCache): MemberSchemas {
  const [first = noSchemas, ...others] = alternatives
  if (others.length === 0) return first
  if (alternatives.every(({ schemas }) => schemas.length === 0)) return noSchemas
  const union = unionCache.unionOf(alternatives.map(({ schemas }) => schemas))
  return { schemas: [union], isCertain: alternatives.every(({ isCertain }) => isCertain) }
}

/** Alternative sets of schemas. The schemas of one set apply together. */
type Alternatives = readonly (readonly SchemaValue[])[]

// Bounds unions within unions, whose alternatives multiply.
const maxAlternatives = 16

/** Creates unions of sets of schemas. Equal alternatives give the same union. */
export class UnionCache {
  readonly #ids = new Map<unknown, number>()
  readonly #unions = new Map<string, JsonSchema>()
  readonly #alternatives = new Map<SchemaValue, Alternatives>()

  /**
   * Returns the union for these alternatives. It is interned and flattened, so that recursive
   * schemas terminate.
   */
  unionOf(alternatives: Alternatives): JsonSchema {
    const flat = alternatives.flatMap((schemas) => this.#flatten(schemas))
    // Past the bound, each schema becomes an alternative, beside the empty one. None applies for
    // certain then, but their flags and names still count.
    const isTooMany = flat.length > maxAlternatives
    const bounded = isTooMany ? [...[...new Set(flat.flat())].map((schema) => [schema]), []] : flat
    const byKey = new Map(bounded.map((schemas) => [this.keyOf(schemas), schemas]))
    const key = [...byKey.keys()].sort().join('|')
    const ready = this.#unions.get(key)
    if (ready !== undefined) return ready
    const branches = [...byKey.values()].map((schemas): SchemaValue => {
      const [first = true, ...others] = schemas
      return others.length === 0 ? first : { allOf: schemas }
    })
    const union: JsonSchema = { anyOf: branches }
    this.#unions.set(key, union)
    this.#alternatives.set(union, [...byKey.values()])
    return union
  }

  /** Returns the schemas of a field that must be named, without the alternative that lacks it. */
  requireNamed(schemas: readonly SchemaValue[]): readonly SchemaValue[] {
    const mayBeEmpty = (schema: SchemaValue) =>
      this.#alternatives.get(schema)?.some((alternative) => alternative.length === 0) === true
    if (schemas.length === 0 || !schemas.every(mayBeEmpty)) return schemas
    const [first = [], ...others] = this.#flatten(schemas).filter((alternative) => alternative.length > 0)
    return others.length === 0 ? first : [this.unionOf([first, ...others])]
  }

  /** Returns whether a schema accepts a value in any of its alternatives. */
  accepts(schema: SchemaValue): boolean {
    const alternatives = this.#alternatives.get(schema) ?? [[schema]]
    return alternatives.some((schemas) => schemas.length > 0 && !schemas.includes(false))
  }

  /** Multiplies out an intersection of schemas, some of which are unions. */
  #flatten(schemas: readonly SchemaValue[]): Alternatives {
    let flat: Alternatives = [[]]
    for (const schema of schemas) {
      const alternatives = this.#alternatives.get(schema) ?? [[schema]]
      const isTooMany = flat.length * alternatives.length > maxAlternatives
      flat = isTooMany
        ? [...flat, ...alternatives, []]
        : flat.flatMap((set) => alternatives.map((alternative) => [...set, ...alternative]))
    }
    return flat
  }

  /** Returns a key that is equal for equal sets of schemas. */
  keyOf(schemas: readonly SchemaValue[]): string {
    return [...new Set(schemas.map((schema) => this.idOf(schema)))].sort((left, right) => left - right).join()
  }

  /** Returns a number for a schema, or for a list of branches. */
  idOf(value: unknown): number {
    const id = this.#ids.get(value) ?? this.#ids.size
    this.#ids.set(value, id)
    return id
  }
}
