import type { StandardIssue } from '../../../types/resource.js'
import { isObject } from '../objects.js'
import type { StandardValidate } from './standard-schema.js'
import { type FieldResult, structureOf } from './structure.js'

type FieldValues = Record<string, unknown>

/** The checked fields of a part, by name. Fields that the schema does not have are missing. */
type FieldResults = ReadonlyMap<string, FieldResult>
type PatchCheck = (part: FieldValues) => Promise<FieldResults>

/**
 * Creates the check of a part of a record: each field by its own schema. Rules for several fields
 * don't apply to a part.
 *
 * @param discriminators the names of the fields that decide which branch of a union a part is of
 * @throws {TypeError} if the library does not show the schemas of fields, or transforms records as
 * a whole
 */
export function createFieldsValidate(schema: unknown, discriminators: readonly string[]): StandardValidate {
  const check = toPatchCheck(schema, discriminators)
  return async (part) => {
    const results = await check(part as FieldValues)
    // Several fields may have the same issue.
    const issues = new Set<StandardIssue>()
    for (const { issues: ofField = [] } of results.values()) for (const issue of ofField) issues.add(issue)
    if (issues.size > 0) return { issues: [...issues] }
    // An open record has fields without a schema.
    const values = [...results].map(([name, result]) => [name, (result as { value: unknown }).value] as const)
    const all = [...Object.entries(part as FieldValues), ...values]
    return { value: Object.fromEntries([...new Map(all)].filter(([, value]) => value !== undefined)) }
  }
}

function toPatchCheck(schema: unknown, discriminators: readonly string[]): PatchCheck {
  const structure = structureOf(schema)
  if (structure === undefined)
    throw new TypeError(
      "resource() can't check a part of a record by this schema: it transforms records as a whole, or its library " +
        'does not show its fields. Set the option `patch` to a schema of what `patch` takes'
    )
  if ('checkField' in structure)
    return async (part) => {
      const checks = Object.entries(part).map(
        async ([name, value]) => [name, await structure.checkField(name, value)] as const
      )
      return new Map(
        (await Promise.all(checks)).filter((entry): entry is [string, FieldResult] => entry[1] !== undefined)
      )
    }
  const checks = structure.schemas.map((inner) => toPatchCheck(inner, discriminators))
  return structure.isUnion ? ofUnion(checks, discriminators) : ofIntersection(checks)
}

const takes = (results: FieldResults, name: string) => results.has(name) && results.get(name)?.issues === undefined

/**
 * Checks a part by the branch of a union that accepts all of it. If there is none, each field is
 * checked by the first branch that accepts it: a part may have fields of several branches.
 */
const ofUnion =
  (checks: readonly PatchCheck[], discriminators: readonly string[]): PatchCheck =>
  async (part) => {
    const names = Object.keys(part)
    const sent = discriminators.filter((discriminator) => Object.hasOwn(part, discriminator))
    const all = await Promise.all(checks.map((check) => check(part)))
    const matching = all.filter((results) => sent.every((discriminator) => takes(results, discriminator)))
    const branches = matching.length > 0 ? matching : all
    const whole = branches.find((results) => names.every((name) => takes(results, name)))
    if (whole !== undefined) return whole
    const results = new Map<string, FieldResult>()
    for (const name of names) {
      const branch = branches.find((results) => takes(results, name)) ?? branches.find((results) => results.has(name))
      if (branch !== undefined) results.set(name, branch.get(name) as FieldResult)
    }
    return results
  }

/** Checks a part by all schemas of an intersection. */
const ofIntersection =
  (checks: readonly PatchCheck[]): PatchCheck =>
  async (part) => {
    const all = await Promise.all(checks.map((check) => check(part)))
    const results = new Map<string, FieldResult>()
    for (const [name, result] of all.flatMap((ofSchema) => [...ofSchema])) {
      const before = results.get(name)
      results.set(name, before === undefined ? result : both(part[name], before, result))
    }
    return results
  }

function both(sent: unknown, left: FieldResult, right: FieldResult): FieldResult {
  if (left.issues === undefined && right.issues === undefined) return { value: joined(sent, left.value, right.value) }
  return { issues: [...(left.issues ?? []), ...(right.issues ?? [])] }
}

/** Merges the results of two schemas: each may drop fields, and may change others. */
function joined(sent: unknown, left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right))
    return left.map((item, index) => joined((sent as unknown[])[index], item, right[index]))
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)])
    return Object.fromEntries([...names].map((name) => [name, joined(Object(sent)[name], left[name], right[name])]))
  }
  return left === undefined || (right !== undefined && right !== sent) ? right : left
}
