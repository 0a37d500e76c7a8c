import type { StandardIssue, StandardResult } from '../../../types/resource.js'
import { BodyNames, findReadOnly } from '../../schema/body-names.js'
import { type Issue, maxIssues, type Path } from '../../schema/issue.js'
import type { ShapeMember, Shapes } from '../../schema/shape.js'
import { attempt } from '../errors.js'
import type { BodyRules } from './body-rules.js'
import { type AjvError, issuePath, libraryKeyword, refusal, toBadRequest, toIssue } from './issues.js'
import type { StandardValidate } from './standard-schema.js'

/** Validates bodies by JSON Schema, without asking for server-set fields. */
export interface BodyValidator {
  record(value: unknown): readonly AjvError[] | undefined
  /** Validates one field on its own. */
  field(name: string, value: unknown): readonly AjvError[] | undefined
}

type Values = Record<string, unknown>

/**
 * Creates the check of a body: one record, or a list of records. It returns the body with the
 * defaults and transformations of the schema.
 *
 * @param takesLists whether lists are taken. Not by default: a hook that sets a field of
 * `context.data` would miss the records of a list
 * @param guards further schemas of the record, whose `readOnly` fields a body can't have
 * @param validator returns the check by JSON Schema. It is created for the first body that needs it
 * @throws {TypeError} when the library can't check such bodies. What is returned throws
 * `BadRequest`
 */
export function createBodyCheck(
  rules: BodyRules,
  takesLists: boolean,
  shapes: Shapes,
  guards: readonly Shapes[],
  validator: () => BodyValidator
): (body: unknown) => unknown {
  const validate = rules.createValidate?.(shapes.root)
  const checkRecord = (record: unknown, path: Path): unknown => {
    try {
      const checked = new RecordCheck(rules, shapes, guards, validator, validate, path).check(record)
      return isAsynchronous(checked) ? checked.catch(toRefused) : checked
    } catch (error) {
      return toRefused(error)
    }
  }
  return (body) => {
    if (!Array.isArray(body)) return finishRecords([checkRecord(body, [])], ([record]) => record)
    if (!takesLists) throw refusal('body', [], 'The data must be an object: no list of records is taken here', 'type')
    const records: unknown[] = []
    let issues = 0
    try {
      for (const [index, record] of body.entries()) {
        const checked = checkRecord(record, [index])
        records.push(checked)
        if (checked instanceof RefusedRecord) issues += checked.issues.length
        if (issues >= maxIssues) break
      }
    } catch (error) {
      // The checks of earlier records may still run: a rejection that nobody handles would end the
      // process.
      Promise.allSettled(records)
      throw error
    }
    return finishRecords(records, (all) => all)
  }
}

/** A refused record. The error of a list has the issues of all its records. */
class RefusedRecord extends Error {
  constructor(readonly issues: readonly Issue[]) {
    super()
  }
}

function toRefused(error: unknown): RefusedRecord {
  if (error instanceof RefusedRecord) return error
  throw error
}

/** Waits for the checks of records. @throws {BadRequest} with the issues of all that are refused */
function finishRecords<T>(records: readonly unknown[], done: (records: readonly unknown[]) => T): T | Promise<T> {
  const finish = (checked: readonly unknown[]) => {
    const refused = checked.filter((record) => record instanceof RefusedRecord)
    if (refused.length === 0) return done(checked)
    const issues = refused.flatMap((record) => record.issues)
    throw toBadRequest('body', issues)
  }
  return records.some(isAsynchronous) ? Promise.all(records).then(finish) : finish(records)
}

const isAsynchronous = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise

/** Checks one record of a body. */
class RecordCheck {
  constructor(
    readonly rules: BodyRules,
    readonly shapes: Shapes,
    readonly guards: readonly Shapes[],
    readonly validator: () => BodyValidator,
    readonly validate: StandardValidate | undefined,
    readonly path: Path
  ) {}

  check(record: unknown): unknown {
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      throw this.#refusal('must be an object', 'type')
    if (this.rules.isPatch && Object.keys(record).length === 0)
      throw this.#refusal('must have at least 1 field', 'minProperties')
    const names = new BodyNames(this.shapes, record, this.path)
    if (names.issues.some(({ keyword }) => keyword === 'maxDepth')) throw new RefusedRecord(names.issues)
    try {
      const guarded = this.guards.flatMap((guard) => findReadOnly(guard, record, this.path))
      const issues = [...guarded, ...names.issues]
      if (issues.length > 0) throw new RefusedRecord([...issues, ...this.#issuesByFields(record as Values)])
      if (this.validate === undefined) return this.#byJsonSchema(record as Values, names.misplaced)
      if (names.isTooComplex) this.#refuseNested(record as Values, names.misplaced)
      const checked = this.#byLibrary(record as Values, this.validate)
      return isAsynchronous(checked) ? checked.catch((error) => this.#rethrow(error, record as Values)) : checked
    } catch (error) {
      return this.#rethrow(error, record as Values)
    }
  }

  #refusal(must: string, keyword: string) {
    return new RefusedRecord([{ path: this.path, keyword, must: this.path.length === 0 ? `The data ${must}` : must }])
  }

  // A recursive check of a deeply nested value may overflow the stack.
  #rethrow(error: unknown, record: Values): never {
    if (!(error instanceof RangeError)) throw error
    // So does a library that passes the issues of a long list as arguments: the issues of its
    // fields say more.
    const issues = attempt(() => this.#issuesByFields(record))
    throw issues?.length ? new RefusedRecord(issues) : this.#refusal('is nested too deep', 'maxDepth')
  }

  #byJsonSchema(record: Values, misplaced: readonly Issue[]): Values {
    const names = Object.keys(record)
    if (this.rules.isPatch) {
      const issues = this.#issuesByFields(record)
      if (issues.length > 0) throw new RefusedRecord(issues)
    } else {
      const problems = this.validator().record(record)
      if (problems !== undefined) {
        const issues = this.#issuesByFields(record)
        throw new RefusedRecord(issues.length > 0 ? issues : [toIssue(this.path, problems)])
      }
    }
    if (misplaced.length > 0) throw new RefusedRecord(misplaced)
    return this.rules.takesDefaults ? record : only(names, record)
  }

  /**
   * Refuses nested values. Scalars of the record are left to the library, which may accept more
   * than JSON Schema does.
   */
  #refuseNested(record: Values, misplaced: readonly Issue[]): void {
    const isNested = ({ path }: Issue) => typeof record[String(path[this.path.length])] === 'object'
    const issues = [...this.#issuesByFields(record).filter(isNested), ...misplaced]
    if (issues.length > 0) throw new RefusedRecord(issues)
  }

  /** Returns the issues of each field on its own, and the missing fields. */
  #issuesByFields(record: Values): Issue[] {
    const shape = this.shapes.root.narrow(record)
    const hasDefault = (member: ShapeMember) =>
      [...member.shape.subschemas].some((schema) => schema.default !== undefined)
    const isMissing = (name: string) => {
      const member = shape.field(name)
      return !Object.hasOwn(record, name) && !member.readOnly && !hasDefault(member)
    }
    const missing = this.rules.isPatch ? [] : shape.required.filter(isMissing)
    const ofFields = Object.keys(record).flatMap((name) => {
      const { readOnly, isKnown } = shape.field(name)
      const problems = readOnly || !isKnown ? undefined : this.validator().field(name, record[name])
      return problems === undefined ? [] : [toIssue([...this.path, name], problems)]
    })
    return [
      ...missing.map((name) => ({ path: [...this.path, name], keyword: 'required', must: 'is required' })),
      ...ofFields
    ]
  }

  #byLibrary(record: Values, validate: StandardValidate): unknown {
    const names = Object.keys(record)
    const finish = (result: StandardResult<unknown>): unknown => {
      if (result.issues !== undefined) throw new RefusedRecord(this.#toIssues(record, result.issues))
      return this.rules.takesDefaults ? result.value : only(names, result.value as Values)
    }
    const result = validate(record)
    return isAsynchronous(result) ? result.then(finish) : finish(result)
  }

  /**
   * Converts the issues of a library. If JSON Schema finds one at the same place, its words are
   * used.
   */
  #toIssues(record: Values, libraryIssues: readonly StandardIssue[]): Issue[] {
    const names = new Set(libraryIssues.map(({ path }) => issuePath(path)[0]))
    // The library may accept more than JSON Schema does.
    const isRefused = ({ path }: Issue) => names.has(undefined) || names.has(path[this.path.length])
    const issues = this.#issuesByFields(record).filter(isRefused).slice(0, maxIssues)
    const isSaid = (path: Path) => path.length > this.path.length && issues.some((issue) => areNested(issue.path, path))
    const others = libraryIssues
      .map(({ message, path }) => ({
        path: [...this.path, ...issuePath(path)],
        keyword: libraryKeyword,
        must: message
      }))
      .filter(({ path }) => !isSaid(path))
    if (issues.length + others.length > 0) return [...issues, ...others]
    return [{ path: this.path, keyword: libraryKeyword, must: 'The data is not valid' }]
  }
}

/**
 * Whether two places are the same, or nested: for a union, a library may name the union, and JSON
 * Schema a field in it.
 */
const areNested = (left: Path, right: Path) =>
  left.slice(0, right.length).every((key, index) => String(key) === String(right[index]))

/** Removes fields that the client did not send: defaults would overwrite stored values. */
const only = (names: readonly string[], record: Values): Values =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]))
