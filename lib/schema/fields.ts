import type { SchemaValue } from '../../types/standard-schema.js'
import { opennessOf } from './combined.js'
import { isSchema, oncePerSchema } from './keywords.js'
import { kindBits, schemasOfField } from './reader.js'
import type { Shape } from './shape.js'

/** Checks a value by a schema of a bundle. */
export type CheckSchema<Problem> = (schema: SchemaValue, value: unknown) => Problem | undefined

interface FieldCheck<Problem> {
  /** Whether a schema names the field. */
  readonly isNamed: boolean
  readonly problem?: Problem | undefined
}

/**
 * Says what is wrong with a field by itself, whatever else its object holds: by all schemas that
 * apply to each object of the shape, and of a union by the branches that name the field, of which
 * one must take it, unless the record may be of a branch that takes any names.
 */
export function checkField<Problem>(
  shape: Shape,
  name: string,
  value: unknown,
  check: CheckSchema<Problem>
): Problem | undefined {
  const { reader } = shape.shapes
  const possibleBranches = (branches: readonly SchemaValue[]) => shape.possibleBranches(branches)
  const takesAnyName = (branch: SchemaValue) =>
    (reader.kinds(branch) & kindBits.object) !== 0 && opennessOf([branch], reader, possibleBranches) !== 'closed'
  const ofAll = (schemas: readonly SchemaValue[]): FieldCheck<Problem> => {
    const checks = schemas.map(ofSchema)
    return { isNamed: checks.some(({ isNamed }) => isNamed), problem: firstProblem(checks) }
  }
  const ofSchema = oncePerSchema((schema): FieldCheck<Problem> => {
    if (!isSchema(schema)) return { isNamed: false }
    const fields = schemasOfField(schema, name)
    const checks: FieldCheck<Problem>[] = fields.map((field) => ({ isNamed: true, problem: check(field, value) }))
    checks.push(ofAll(reader.always(schema)))
    for (const branches of [schema.anyOf, schema.oneOf]) {
      if (branches === undefined) continue
      const ofBranches = possibleBranches(branches).map((branch) => ({ ...ofAll([branch]), branch }))
      const naming = ofBranches.filter(({ isNamed }) => isNamed)
      const isTaken =
        naming.some(({ problem }) => problem === undefined) ||
        ofBranches.some(({ isNamed, branch }) => !isNamed && takesAnyName(branch))
      checks.push({ isNamed: naming.length > 0, problem: isTaken ? undefined : naming[0]?.problem })
    }
    const isNamed = checks.some(({ isNamed }) => isNamed)
    const { unevaluatedProperties: rest } = schema
    if (isNamed || rest === undefined) return { isNamed, problem: firstProblem(checks) }
    return { isNamed: true, problem: check(rest, value) }
  })
  return ofAll(shape.schemas).problem
}

const firstProblem = <Problem>(checks: readonly FieldCheck<Problem>[]) =>
  checks.find(({ problem }) => problem !== undefined)?.problem
