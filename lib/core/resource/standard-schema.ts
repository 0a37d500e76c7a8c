import type { StandardResult, StandardSchema } from '../../../types/resource.js'

/**
 * Returns the properties of a Standard Schema, `undefined` for other values. Types of ArkType are
 * functions.
 */
export function standardOf(schema: unknown): StandardSchema['~standard'] | undefined {
  const isHolder = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  return isHolder ? (schema as Partial<StandardSchema>)['~standard'] : undefined
}

/** Checks a value by the library of its schema. */
export type StandardValidate = NonNullable<StandardSchema['~standard']['validate']>

interface WithAsyncParse {
  safeParseAsync(
    value: unknown
  ): Promise<{ data?: unknown; error?: Extract<StandardResult<unknown>, { issues: object }> }>
}

/** The two sides of an intersection transform a field differently. */
export class UnmergedError extends TypeError {}

/**
 * zod throws if the two sides of an intersection transform a field differently. The new error says
 * what to write.
 */
function rethrowUnmerged(cause: unknown): never {
  const [, path] = /^Unmergable intersection\b.*?(\[.*\])/.exec(String(Object(cause).message)) ?? []
  if (path === undefined) throw cause
  throw new UnmergedError(
    `zod can't merge what the two sides of an intersection make of ${path}. A field that one side transforms, or gives a default, must not stand on the other side: ` +
      'write one object, z.object({ ...a.shape, ...b.shape }), in the place of z.intersection(a, b)',
    { cause }
  )
}

/** Returns the check of a schema, `undefined` if it has none. */
export const validateOf = (schema: unknown): StandardValidate | undefined => standardOf(schema)?.validate

/**
 * Returns the check of a schema that may be asynchronous. zod's `validate` parses synchronously
 * first: an async check would run twice, and an unhandled rejection of the first run would end the
 * process.
 */
export function waitingOf(schema: unknown): StandardValidate | undefined {
  if (standardOf(schema)?.vendor !== 'zod') return validateOf(schema)
  return async (value) => {
    const { data, error } = await (schema as WithAsyncParse).safeParseAsync(value).catch(rethrowUnmerged)
    return error ?? { value: data }
  }
}

/**
 * Returns the check of a schema for callers that can't wait. An async check runs once, and the
 * result is its promise.
 */
export function atOnceOf(schema: unknown): StandardValidate | undefined {
  const validate = validateOf(schema)
  if (validate === undefined || standardOf(schema)?.vendor !== 'zod') return validate
  const { _zod } = schema as { _zod: { run(payload: object, context: object): unknown } }
  return (value) => {
    try {
      const run = _zod.run({ value, issues: [] }, { async: true })
      return run instanceof Promise ? run.catch(rethrowUnmerged) : validate(value)
    } catch (error) {
      return rethrowUnmerged(error)
    }
  }
}

/** Whether the library of a schema tries all branches of a union that declares no discriminator. */
export function triesAllBranches(schema: unknown): boolean {
  const vendor = standardOf(schema)?.vendor
  return vendor !== undefined && vendor !== 'arktype'
}
