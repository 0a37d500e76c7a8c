import type { StandardIssue } from '../../../types/resource.js'
import { noNames, WrittenSchema } from '../../schema/documents.js'
import { exampleOf } from '../../schema/examples.js'
import { attempt } from '../errors.js'
import { isObject } from '../objects.js'
import { readJsonSchema } from './json-schema.js'
import { type FieldResult, structureOf, withoutChecks } from './structure.js'
import { atOnceOf, type StandardValidate, waitingOf } from './validate.js'

type FieldValues = Record<string, unknown>

/** What a schema makes of the fields of a part, of those that it has. */
type FieldResults = ReadonlyMap<string, FieldResult>
type PartCheck = (part: FieldValues) => Promise<FieldResults>

/**
 * Makes the check of a part of a record by the schema of a whole one: of each field by its own schema, since what is said of several fields is not said of a part.
 *
 * @param tags the names of the fields that decide which branch of a union a part is of
 * @throws {TypeError} when the library does not show the schemas of fields, and does not take examples of them all in their place
 */
export function createPartValidation(schema: unknown, tags: readonly string[]): StandardValidate {
  const check = toPartCheck(schema, tags)
  return async (part) => {
    const results = await check(part as FieldValues)
    // A problem of the whole stands with each field.
    const issues = new Set<StandardIssue>()
    for (const { issues: ofField = [] } of results.values()) for (const issue of ofField) issues.add(issue)
    if (issues.size > 0) return { issues: [...issues] }
    // An open record has fields that no schema speaks of.
    const values = [...results].map(([name, result]) => [name, (result as { value: unknown }).value] as const)
    const all = [...Object.entries(part as FieldValues), ...values]
    return { value: Object.fromEntries([...new Map(all)].filter(([, value]) => value !== undefined)) }
  }
}

function toPartCheck(schema: unknown, tags: readonly string[]): PartCheck {
  const structure = structureOf(schema)
  if (structure === undefined) return byExamples(schema)
  if ('checkField' in structure)
    return async (part) => {
      const checks = Object.entries(part).map(
        async ([name, value]) => [name, await structure.checkField(name, value)] as const
      )
      return new Map(
        (await Promise.all(checks)).filter((entry): entry is [string, FieldResult] => entry[1] !== undefined)
      )
    }
  const checks = structure.schemas.map((inner) => toPartCheck(inner, tags))
  return structure.isUnion ? ofUnion(checks, tags) : ofIntersection(checks)
}

const takes = (results: FieldResults, name: string) => results.has(name) && results.get(name)?.issues === undefined

/** The check by a union: by the branch that takes the whole part. A part that none takes may still change the fields of several branches: each by the first one that takes it. */
const ofUnion =
  (checks: readonly PartCheck[], tags: readonly string[]): PartCheck =>
  async (part) => {
    const names = Object.keys(part)
    const sentTags = tags.filter((tag) => Object.hasOwn(part, tag))
    const all = await Promise.all(checks.map((check) => check(part)))
    const ofTags = all.filter((results) => sentTags.every((tag) => takes(results, tag)))
    const branches = ofTags.length > 0 ? ofTags : all
    const whole = branches.find((results) => names.every((name) => takes(results, name)))
    if (whole !== undefined) return whole
    const results = new Map<string, FieldResult>()
    for (const name of names) {
      const branch = branches.find((results) => takes(results, name)) ?? branches.find((results) => results.has(name))
      if (branch !== undefined) results.set(name, branch.get(name) as FieldResult)
    }
    return results
  }

/** The check by an intersection: all of its schemas hold. */
const ofIntersection =
  (checks: readonly PartCheck[]): PartCheck =>
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

/** What two schemas make of a value: each may leave out fields, and may change others. */
function joined(sent: unknown, left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right))
    return left.map((item, index) => joined((sent as unknown[])[index], item, right[index]))
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)])
    return Object.fromEntries([...names].map((name) => [name, joined(Object(sent)[name], left[name], right[name])]))
  }
  return left === undefined || (right !== undefined && right !== sent) ? right : left
}

/**
 * The check by examples in the place of the fields that a part does not have. The library must take the examples, and give them back by their names: otherwise what it does to a field of a part would not be known.
 */
function byExamples(checked: unknown): PartCheck {
  const schema = withoutChecks(checked)
  const document = attempt(() => readJsonSchema(schema, 'input').document)
  const validate = atOnceOf(schema)
  if (document === undefined || validate === undefined) throw unusable(' its library shows no fields of it')
  const { root } = new WrittenSchema(document, { flagged: noNames, ignoresFlags: true }).shapes
  const shape = root.of({})
  const example = exampleOf(root, true) as FieldValues
  const result = resultOfExample(validate, structuredClone(example))
  // What is asynchronous has its result too late for an error at the start: the first part reports it.
  if (result instanceof Promise) result.catch(() => {})
  else valuesOf(result, shape.names)
  const waiting = waitingOf(schema) as StandardValidate
  return async (part) => {
    const names = Object.keys(part).filter((name) => shape.field(name).isKnown)
    const fields = Object.fromEntries(names.map((name) => [name, part[name]]))
    const result = await waiting({ ...structuredClone(example), ...fields })
    if (result.issues !== undefined) return new Map(names.map((name) => [name, result]))
    // What the library leaves out, such as a `null`, is not stored either.
    const values = valuesOf(
      result,
      names.filter((name) => part[name] !== null)
    )
    return new Map(names.map((name) => [name, { value: values[name] }]))
  }
}

/** @throws {TypeError} where a transformation throws for an example, as `JSON.parse` does */
function resultOfExample(validate: StandardValidate, example: unknown): ReturnType<StandardValidate> {
  try {
    return validate(example)
  } catch (cause) {
    throw unusable(` its transformation fails with an example of a record (${(cause as Error).message})`, cause)
  }
}

/** @throws {TypeError} where a library refuses examples, or does not return a value for each name */
function valuesOf(result: FieldResult, names: readonly string[]): FieldValues {
  if (result.issues !== undefined)
    throw unusable(
      ` it refuses an example of a record, of which it says: ${result.issues.map(({ message }) => message)}`
    )
  const values = Object(result.value)
  const missing = names.find((name) => !Object.hasOwn(values, name))
  if (missing !== undefined) throw unusable(` what it makes of a record has no field '${missing}'`)
  return values
}

const unusable = (reason: string, cause?: unknown) =>
  new TypeError(
    `resource() can't check a part of a record by this schema:${reason}. Set the option \`patch\` to a schema of what \`patch\` takes`,
    { cause }
  )
