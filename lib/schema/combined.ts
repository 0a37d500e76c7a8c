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
  const seen = new Set<SchemaValue>()
  const ofSchema = (schema: SchemaValue | undefined): Openness | undefined => {
    if (!isSchema(schema) || seen.has(schema)) return undefined
    seen.add(schema)
    const says = [ownOpenness(schema), ...reader.always(schema).map(ofSchema)]
    for (const branches of [schema.anyOf, schema.oneOf]) {
      const objects = chosenOf(branches ?? []).filter((branch) => (reader.kinds(branch) & kinds.object) !== 0)
      const ofBranches = objects.map(ofSchema)
      says.push(ofBranches.includes('open') ? 'open' : ofBranches.includes(undefined) ? undefined : ofBranches[0])
    }
    if ([schema.then, schema.else].map(ofSchema).includes('open')) says.push('open')
    return mostOf(says)
  }
  return mostOf(schemas.map(ofSchema))
}

/**
 * The kinds of values that may stand at a place within, as bits: what all schemas let pass there, and of a union any of its branches.
 *
 * @param kind the kind of value that has such a place
 * @param pick the schemas that a single one has for the place
 */
export function combinedKinds(
  schemas: readonly SchemaValue[],
  reader: SchemaReader,
  chosenOf: ChosenOf,
  kind: number,
  pick: (schema: JsonSchema) => readonly SchemaValue[]
): number {
  const ofSchemas = (schemas: readonly SchemaValue[], seen: Set<SchemaValue>): number => {
    let allowed: number = kinds.all
    for (const schema of schemas) {
      if (!isSchema(schema) || seen.has(schema)) continue
      seen.add(schema)
      for (const picked of pick(schema)) allowed &= reader.kinds(picked)
      allowed &= ofSchemas(reader.always(schema), seen)
      for (const branches of [schema.anyOf, schema.oneOf]) {
        const possible = chosenOf(branches ?? []).filter((branch) => (reader.kinds(branch) & kind) !== 0)
        const ofBranches = possible.map((branch) => ofSchemas([branch], new Set(seen)))
        if (ofBranches.length > 0) allowed &= ofBranches.reduce((all, some) => all | some)
      }
    }
    return allowed
  }
  return ofSchemas(schemas, new Set())
}
