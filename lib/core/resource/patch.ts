import type { SchemaValue, StandardIssue } from '../../../types/standard-schema.js'
import { opennessOf } from '../../schema/combined.js'
import { isSchema, oncePerSchema } from '../../schema/keywords.js'
import { kindBits, schemasOfField } from '../../schema/reader.js'
import type { Shape } from '../../schema/shape.js'
import type { FieldResult, SchemaLibrary, StandardValidate } from './standard-schema.js'

// PATCH has some fields of a record. Each is validated on its own: by a library, which may
// transform it and be asynchronous, or by JSON Schema. Rules for several fields don't apply.

type FieldValues = Record<string, unknown>

/** The results by field. Fields that the schema does not have are missing. */
type FieldResults = ReadonlyMap<string, FieldResult>
type PatchCheck = (patch: FieldValues) => Promise<FieldResults>

/**
 * Creates the validation of a patch by a library: each field by its own schema.
 *
 * @param discriminators the names of the fields that decide which branch of a union applies
 * @throws {TypeError} if the library does not show the schemas of fields, or transforms records as
 * a whole
 */
export function createFieldsValidate(
  schema: unknown,
  discriminators: readonly string[],
  structureOf: SchemaLibrary['structureOf']
): StandardValidate {
  const check = createFieldsCheck(schema, discriminators, structureOf)
  return async (patch) => {
    const results = await check(patch as FieldValues)
    // Several fields may have the same issue.
    const issues = new Set<StandardIssue>()
    for (const { issues: ofField = [] } of results.values()) for (const issue of ofField) issues.add(issue)
    if (issues.size > 0) return { issues: [...issues] }
    // An open record has fields without a schema.
    const values = [...results].map(([name, result]) => [name, (result as { value: unknown }).value] as const)
    const all = [...Object.entries(patch as FieldValues), ...values]
    return { value: Object.fromEntries([...new Map(all)].filter(([, value]) => value !== undefined)) }
  }
}

function createFieldsCheck(
  schema: unknown,
  discriminators: readonly string[],
  structureOf: SchemaLibrary['structureOf']
): PatchCheck {
  const structure = structureOf(schema)
  if (structure === undefined)
    throw new TypeError(
      "resource() can't check a part of a record by this schema: it is an intersection, it transforms records as a whole, " +
        'or its library does not show its fields. Set the option `patch` to a schema of what `patch` takes'
    )
  if ('checkField' in structure)
    return async (patch) => {
      const checks = Object.entries(patch).map(
        async ([name, value]) => [name, await structure.checkField(name, value)] as const
      )
      return new Map(
        (await Promise.all(checks)).filter((entry): entry is [string, FieldResult] => entry[1] !== undefined)
      )
    }
  const checks = structure.branches.map((branch) => createFieldsCheck(branch, discriminators, structureOf))
  return createUnionCheck(checks, discriminators)
}

const accepts = (results: FieldResults, name: string) => results.has(name) && results.get(name)?.issues === undefined

/**
 * Uses the branch that accepts the whole patch. If there is none, each field is validated by the
 * first branch that accepts it: a patch may have fields of several branches.
 */
const createUnionCheck =
  (checks: readonly PatchCheck[], discriminators: readonly string[]): PatchCheck =>
  async (patch) => {
    const names = Object.keys(patch)
    const sent = discriminators.filter((name) => Object.hasOwn(patch, name))
    const all = await Promise.all(checks.map((check) => check(patch)))
    const matching = all.filter((results) => sent.every((name) => accepts(results, name)))
    const branches = matching.length > 0 ? matching : all
    const whole = branches.find((results) => names.every((name) => accepts(results, name)))
    if (whole !== undefined) return whole
    const results = new Map<string, FieldResult>()
    for (const name of names) {
      const branch = branches.find((results) => accepts(results, name)) ?? branches.find((results) => results.has(name))
      if (branch !== undefined) results.set(name, branch.get(name) as FieldResult)
    }
    return results
  }

/** Validates a value by a schema of a bundle. */
type CheckSchema<Problem> = (schema: SchemaValue, value: unknown) => Problem | undefined

interface FieldCheck<Problem> {
  /** Whether a schema names the field. */
  readonly isNamed: boolean
  readonly problem?: Problem | undefined
}

/**
 * Validates one field on its own by JSON Schema. All schemas that apply to the object must accept
 * it, and one of the branches that name it, unless the object may belong to a branch that accepts
 * any name.
 */
export function checkField<Problem>(
  shape: Shape,
  name: string,
  value: unknown,
  check: CheckSchema<Problem>
): Problem | undefined {
  const { reader } = shape.shapes
  const possibleBranches = (branches: readonly SchemaValue[]) => shape.possibleBranches(branches)
  const acceptsAnyName = (branch: SchemaValue) =>
    (reader.kinds(branch) & kindBits.object) !== 0 && opennessOf([branch], reader, possibleBranches) !== 'closed'
  const checkUnion = (branches: readonly SchemaValue[]): FieldCheck<Problem> => {
    const checks = possibleBranches(branches).map((branch) => ({ ...checkSchema(branch), branch }))
    const naming = checks.filter(({ isNamed }) => isNamed)
    const isAccepted =
      naming.some(({ problem }) => problem === undefined) ||
      checks.some(({ isNamed, branch }) => !isNamed && acceptsAnyName(branch))
    return { isNamed: naming.length > 0, problem: isAccepted ? undefined : naming[0]?.problem }
  }
  const checkSchema = oncePerSchema((schema): FieldCheck<Problem> => {
    if (!isSchema(schema)) return { isNamed: false }
    const unions = [schema.anyOf, schema.oneOf].filter((branches) => branches !== undefined)
    const checked = joinChecks([
      ...schemasOfField(schema, name).map((field) => ({ isNamed: true, problem: check(field, value) })),
      ...reader.always(schema).map(checkSchema),
      ...unions.map(checkUnion)
    ])
    const isRefused = schema.unevaluatedProperties === false && !checked.isNamed
    return isRefused ? { isNamed: true, problem: check(false, value) } : checked
  })
  return joinChecks(shape.schemas.map(checkSchema)).problem
}

const joinChecks = <Problem>(checks: readonly FieldCheck<Problem>[]): FieldCheck<Problem> => ({
  isNamed: checks.some(({ isNamed }) => isNamed),
  problem: checks.find(({ problem }) => problem !== undefined)?.problem
})
