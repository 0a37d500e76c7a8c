import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isSchema } from './keywords.js'
import { kinds, type SchemaReader } from './reader.js'

/** Whether an object may have fields that no schema names. One that says nothing of fields leaves that to the others. */
export type Openness = 'open' | 'closed'

const mostOf = (says: readonly (Openness | undefined)[]): Openness | undefined =>
  says.includes('open') ? 'open' : says.includes('closed') ? 'closed' : undefined

/** What a schema itself says of it. */
export function ownOpenness(schema: JsonSchema): Openness | undefined {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
  const isAny = (value: unknown) => value === true || (isSchema(value) && Object.keys(value).length === 0)
  if (isAny(additionalProperties) || isAny(unevaluatedProperties)) return 'open'
  const says = [properties, patternProperties, additionalProperties, unevaluatedProperties]
  return says.some(isNamed) ? 'closed' : undefined
}

const isNamed = (value: unknown) => value !== undefined

/** The branches of a union that a value may be of. */
type ChosenOf = (branches: readonly SchemaValue[]) => readonly SchemaValue[]

/**
 * What schemas that apply to the same place say of it together: names are closed once one of them speaks of names, and open once one says so. A union is as open as the most open of its branches.
 */
export function opennessOf(
  schemas: readonly SchemaValue[],
  reader: SchemaReader,
  chosenOf: ChosenOf
): Openness | undefined {
  const ofSchema = (schema: SchemaValue | undefined, around: readonly SchemaValue[] = []): Openness | undefined => {
    if (!isSchema(schema) || around.includes(schema)) return undefined
    const within = [...around, schema]
    const says = [ownOpenness(schema), ...reader.always(schema).map((part) => ofSchema(part, within))]
    for (const branches of [schema.anyOf, schema.oneOf]) {
      const objects = chosenOf(branches ?? []).filter((branch) => (reader.kinds(branch) & kinds.object) !== 0)
      const ofBranches = objects.map((branch) => ofSchema(branch, within))
      says.push(ofBranches.includes('open') ? 'open' : ofBranches.includes(undefined) ? undefined : ofBranches[0])
    }
    if (reader.conditional(schema).some((part) => ofSchema(part, within) === 'open')) says.push('open')
    return mostOf(says)
  }
  return mostOf(schemas.map((schema) => ofSchema(schema)))
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

/** What schemas say of a place within the place that they apply to. */
export interface Within {
  readonly schemas: readonly SchemaValue[]
  /** Whether one of them applies whatever the value is. */
  readonly isSure: boolean
}

/**
 * The schemas of a field or an item. Those that apply to some values alone, since a branch of a union or a condition asks for them, are one union: their flags and names hold, and their types only where each
 * of the alternatives has one.
 *
 * @param kind the kind of value that has such a place
 * @param pick the schemas that a single one has for the place
 * @param toUnion makes a union of alternatives, the same one for the same
 */
export function schemasWithin(
  schemas: readonly SchemaValue[],
  { reader, chosenOf, kind, pick, toUnion }: Reading
): Within {
  const ofSchemas = (schemas: readonly SchemaValue[], around: readonly SchemaValue[]): Within => {
    const all: SchemaValue[] = []
    let isSure = false
    const add = (within: Within) => {
      all.push(...within.schemas)
      isSure ||= within.isSure
    }
    const addUnion = (alternatives: readonly Within[]) => {
      if (alternatives.every((within) => within.schemas.length === 0)) return
      all.push(toUnion(alternatives.map((within) => within.schemas)))
      isSure ||= alternatives.every((within) => within.isSure)
    }
    for (const schema of schemas) {
      if (!isSchema(schema) || around.includes(schema)) continue
      const inner = [...around, schema]
      const picked = pick(schema)
      add({ schemas: picked, isSure: picked.length > 0 })
      add(ofSchemas(reader.always(schema), inner))
      for (const branches of [schema.anyOf, schema.oneOf]) {
        const possible = chosenOf(branches ?? []).filter((branch) => (reader.kinds(branch) & kind) !== 0)
        if (possible.length === 1) add(ofSchemas(possible, inner))
        else addUnion(possible.map((branch) => ofSchemas([branch], inner)))
      }
      for (const part of reader.conditional(schema)) addUnion([ofSchemas([part], inner), nothing])
    }
    return { schemas: all, isSure }
  }
  return ofSchemas(schemas, [])
}

const nothing: Within = { schemas: [], isSure: false }

interface Reading {
  readonly reader: SchemaReader
  readonly chosenOf: ChosenOf
  readonly kind: number
  readonly pick: (schema: JsonSchema) => readonly SchemaValue[]
  readonly toUnion: (alternatives: readonly (readonly SchemaValue[])[]) => JsonSchema
}
