import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isSchema, oncePerSchema } from './keywords.js'
import { kindBits, type SchemaReader } from './reader.js'

/**
 * Whether an object may have fields that no schema names. One that says nothing of fields leaves
 * that to the others.
 */
export type Openness = 'open' | 'closed'

const mostOf = (says: readonly (Openness | undefined)[]): Openness | undefined =>
  says.includes('open') ? 'open' : says.includes('closed') ? 'closed' : undefined

/** The openness that a schema states itself. */
export function ownOpenness(schema: JsonSchema): Openness | undefined {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
  const isAny = (value: unknown) => value === true || (isSchema(value) && Object.keys(value).length === 0)
  if (isAny(additionalProperties) || isAny(unevaluatedProperties)) return 'open'
  const says = [properties, patternProperties, additionalProperties, unevaluatedProperties]
  return says.some(isDefined) ? 'closed' : undefined
}

export const isDefined = (value: unknown) => value !== undefined

/** Whether a schema says itself what the items of a list are. */
export const speaksOfItems = ({ items, additionalItems, unevaluatedItems }: JsonSchema): boolean =>
  [items, additionalItems, unevaluatedItems].some(isDefined)

/** The branches of a union that a value may be of. */
type ChosenOf = (branches: readonly SchemaValue[]) => readonly SchemaValue[]

/**
 * What schemas that apply to the same place say of it together: names are closed once one of them
 * speaks of names, and open once one says so. A union is as open as the most open of its branches.
 */
export function opennessOf(
  schemas: readonly SchemaValue[],
  reader: SchemaReader,
  chosenOf: ChosenOf
): Openness | undefined {
  const ofSchema = oncePerSchema((schema): Openness | undefined => {
    if (!isSchema(schema)) return undefined
    const says = [ownOpenness(schema), ...reader.always(schema).map(ofSchema)]
    for (const branches of [schema.anyOf, schema.oneOf]) {
      const objects = chosenOf(branches ?? []).filter((branch) => (reader.kinds(branch) & kindBits.object) !== 0)
      const ofBranches = objects.map(ofSchema)
      says.push(ofBranches.includes('open') ? 'open' : ofBranches.includes(undefined) ? undefined : ofBranches[0])
    }
    if (reader.conditional(schema).some((part) => ofSchema(part) === 'open')) says.push('open')
    return mostOf(says)
  })
  return mostOf(schemas.map(ofSchema))
}

/**
 * The schemas that apply to the place of others whatever its value is.
 * @param chosenOf the branch of a union that is sure; none where it is not
 */
export function surelyApplying(
  schemas: readonly SchemaValue[],
  reader: SchemaReader,
  chosenOf: ChosenOf
): ReadonlySet<JsonSchema> {
  const applying = new Set<JsonSchema>()
  const gather = (schema: SchemaValue) => {
    if (!isSchema(schema) || applying.has(schema)) return
    applying.add(schema)
    reader.always(schema).forEach(gather)
    for (const branches of [schema.anyOf, schema.oneOf]) chosenOf(branches ?? []).forEach(gather)
  }
  schemas.forEach(gather)
  return applying
}

/** A place within others: a field or an item. */
export interface InnerPlace {
  /** The kind of value that has such a place. */
  readonly kind: number
  /** What a single schema says of it. */
  pick(schema: JsonSchema): readonly SchemaValue[]
  /** What a single schema says of it where neither it nor what it consists of has said anything. */
  pickUnevaluated(schema: JsonSchema): SchemaValue | undefined
}

interface Within {
  readonly schemas: readonly SchemaValue[]
  /** Whether one of them applies whatever the value is. */
  readonly isSure: boolean
}

/**
 * The schemas of a field or an item. Those that apply to some values alone, since a branch of a
 * union or a condition asks for them, are one union: their flags and names hold, and their types
 * only where each of the alternatives has one.
 *
 * @param toUnion makes a union of alternatives, the same one for the same
 */
export function schemasWithin(
  schemas: readonly SchemaValue[],
  { reader, chosenOf, place, toUnion }: Reading
): readonly SchemaValue[] {
  const ofSchema = oncePerSchema((schema): Within => {
    if (!isSchema(schema)) return noSchemas
    const unions = [schema.anyOf, schema.oneOf].map((branches = []) =>
      chosenOf(branches).filter((branch) => (reader.kinds(branch) & place.kind) !== 0)
    )
    const evaluated = all([
      of(place.pick(schema)),
      ...reader.always(schema).map(ofSchema),
      ...unions.map((branches) => oneOf(branches.map(ofSchema), toUnion)),
      ...reader.conditional(schema).map((part) => oneOf([ofSchema(part), noSchemas], toUnion))
    ])
    const rest = place.pickUnevaluated(schema)
    return rest === undefined || evaluated.schemas.length > 0 ? evaluated : of([rest])
  })
  return all(schemas.map(ofSchema)).schemas
}

const noSchemas: Within = { schemas: [], isSure: false }
const of = (schemas: readonly SchemaValue[]): Within => ({ schemas, isSure: schemas.length > 0 })

/** The result for several schemas that apply together. */
const all = (parts: readonly Within[]): Within => ({
  schemas: [...new Set(parts.flatMap(({ schemas }) => schemas))],
  isSure: parts.some(({ isSure }) => isSure)
})

/** The result for several schemas of which one applies. */
function oneOf(alternatives: readonly Within[], toUnion: Reading['toUnion']): Within {
  const [first = noSchemas, ...others] = alternatives
  if (others.length === 0) return first
  if (alternatives.every(({ schemas }) => schemas.length === 0)) return noSchemas
  const union = toUnion(alternatives.map(({ schemas }) => schemas))
  return { schemas: [union], isSure: alternatives.every(({ isSure }) => isSure) }
}

interface Reading {
  readonly reader: SchemaReader
  readonly chosenOf: ChosenOf
  readonly place: InnerPlace
  readonly toUnion: (alternatives: readonly (readonly SchemaValue[])[]) => JsonSchema
}
