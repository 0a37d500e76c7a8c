import type { JsonSchema, StandardIssue, StandardResult, StandardSchema } from '../../../types/resource.js'
import { BadRequest } from '../errors.js'
import { withoutFiles } from './files.js'
import { withoutFlagged } from './flags.js'
import type { RecordSchema } from './normal-form.js'
import { type Compile, nameOf, refusal, toRefusal } from './problem.js'

type Path = readonly (string | number)[]
type Validate = NonNullable<StandardSchema['~standard']['validate']>

/** What the body of a method may hold. */
export interface BodyRules {
  readonly schema: JsonSchema
  /** Fields that only the server sets. */
  readonly readOnly: readonly string[]
  /** The checks of the schema's own library, which run behind those of JSON Schema. */
  readonly validate?: Validate | undefined
  /** Values for fields that `validate` asks for and a body can't have. They are taken out again. */
  readonly sample?: Readonly<Record<string, unknown>> | undefined
  /** Fields that get no default: they are taken out again where a body has not named them. */
  readonly defaults?: readonly string[] | undefined
}

/** The JSON Schema of what a client sends of a record; of a part of it where `isPart`. */
export function toBodySchema(record: RecordSchema, readOnly: readonly string[], isPart: boolean): JsonSchema {
  const { properties, required, ...rest } = record
  const defs = record.$defs as Record<string, JsonSchema> | undefined
  const fields = Object.entries(properties).filter(([name]) => !readOnly.includes(name))
  const own = Object.fromEntries(fields.map(([name, schema]) => [name, withoutFlagged(schema, 'readOnly', defs)]))
  const body = { ...withoutFlagged(rest, 'readOnly', defs), properties: own }
  if (!isPart) return { ...body, required: required.filter((name) => !readOnly.includes(name)) }
  return { ...withoutDefaults(body).schema, minProperties: 1 }
}

/** The schema of a part of a record: a default would change a field that the client does not name. */
export function withoutDefaults(record: Pick<RecordSchema, 'properties'>): Pick<BodyRules, 'schema' | 'defaults'> {
  const fields = Object.entries(record.properties)
  const properties = Object.fromEntries(fields.map(([name, { default: _, ...schema }]) => [name, schema]))
  const defaults = fields.filter(([, schema]) => schema.default !== undefined).map(([name]) => name)
  return { schema: { ...record, properties }, defaults }
}

/** Makes what checks a body: one record, or a list of them. It returns the body as the schema makes it. @throws {BadRequest} */
export function createBodyCheck(rules: BodyRules, compile: Compile): (body: unknown) => unknown {
  const check = compile(withoutFiles(rules.schema))
  const one = (record: unknown, path: Path): unknown => {
    for (const name of rules.readOnly)
      if (Object.hasOwn(Object(record), name)) throw refusal('body', [...path, name], 'can not be set', 'readOnly')
    const problems = check(record)
    if (problems !== undefined) throw toRefusal('body', path, problems)
    if (rules.validate === undefined) return record
    const result = rules.validate({ ...rules.sample, ...(record as object) })
    const finish = (result: StandardResult<unknown>) => toValue(result, record as object, path, rules)
    return isPromise(result) ? result.then(finish) : finish(result)
  }
  return (body) => {
    if (!Array.isArray(body)) return one(body, [])
    const records: unknown[] = []
    try {
      for (const [index, record] of body.entries()) records.push(one(record, [index]))
    } catch (error) {
      // Nobody waits for those before it, and one that is refused later would end the process.
      Promise.allSettled(records)
      throw error
    }
    return records.some(isPromise) ? Promise.all(records) : records
  }
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise

function toValue(
  result: StandardResult<unknown>,
  record: object,
  path: Path,
  { sample = {}, defaults = [] }: BodyRules
): unknown {
  if (result.issues !== undefined) throw toError(result.issues, path)
  const isOurs = (name: string) =>
    Object.hasOwn(sample, name) || (defaults.includes(name) && !Object.hasOwn(record, name))
  return Object.fromEntries(Object.entries(result.value as object).filter(([name]) => !isOurs(name)))
}

function toError(issues: readonly StandardIssue[], path: Path): BadRequest {
  const errors = issues.map(({ message, path: inside }) => {
    const keys = [...path, ...pathOf(inside)]
    const name = keys.length === 0 ? '' : `${nameOf('body', keys)}: `
    return { instancePath: keys.map((key) => `/${key}`).join(''), keyword: 'validate', message, name }
  })
  const [first = { name: '', message: 'The data is not valid' }] = errors
  return new BadRequest(`${first.name}${first.message}`, { errors: errors.map(({ name: _, ...error }) => error) })
}

const pathOf = (path: StandardIssue['path'] = []): (string | number)[] =>
  path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key) => (typeof key === 'number' ? key : String(key)))

/**
 * Values for the fields that only the server sets, so that a check of the whole record can run on a body.
 *
 * @throws when the library refuses one of them
 */
export function toSample(
  record: RecordSchema,
  readOnly: readonly string[],
  validate: Validate
): Readonly<Record<string, unknown>> {
  const names = record.required.filter((name) => readOnly.includes(name))
  const sample = Object.fromEntries(names.map((name) => [name, exampleOf(record.properties[name] as JsonSchema)]))
  const result = validate(sample)
  // One that is not told at once is told with the first body.
  if (isPromise(result)) result.catch(() => {})
  const issues = isPromise(result) ? [] : (result.issues ?? [])
  const refused = issues.map(({ path }) => pathOf(path)[0]).find((name) => names.includes(String(name)))
  if (refused !== undefined)
    throw new TypeError(
      `resource() can't check a body by this schema, which asks for '${refused}', a field that only the server sets. ` +
        'Give a schema without it as the option `create`'
    )
  return sample
}

const texts = new Map(
  Object.entries({
    'date-time': '2000-01-01T00:00:00.000Z',
    date: '2000-01-01',
    time: '00:00:00Z',
    email: 'a@example.com',
    uri: 'https://example.com/',
    uuid: '00000000-0000-4000-8000-000000000000'
  })
)

function exampleOf({ type, enum: values, format, minimum, minLength }: JsonSchema): unknown {
  const [first] = [type].flat()
  if (values !== undefined) return (values as unknown[])[0]
  if (first === 'string') return texts.get(String(format)) ?? 'x'.repeat(Number(minLength ?? 1))
  if (first === 'integer' || first === 'number') return minimum ?? 1
  if (first === 'boolean') return false
  return first === 'array' ? [] : first === 'null' ? null : {}
}
