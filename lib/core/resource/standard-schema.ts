import type { JsonSchema, StandardIssue, StandardResult, StandardSchema } from '../../../types/standard-schema.js'
import type { Omit } from './omit.js'

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

/** Returns the check of a schema, `undefined` if it has none. */
export const validateOf = (schema: unknown): StandardValidate | undefined => standardOf(schema)?.validate

/**
 * Returns the check of a schema that may be asynchronous. zod's `validate` parses synchronously
 * first: an async check would run twice, and an unhandled rejection of the first run would end the
 * process.
 */
export function asyncValidateOf(schema: unknown): StandardValidate | undefined {
  if (standardOf(schema)?.vendor !== 'zod') return validateOf(schema)
  return async (value) => {
    const { data, error } = await (schema as WithAsyncParse).safeParseAsync(value)
    return error ?? { value: data }
  }
}

/**
 * Returns the check of a schema for callers that can't wait. An async check runs once, and the
 * result is its promise.
 */
export function immediateValidateOf(schema: unknown): StandardValidate | undefined {
  const validate = validateOf(schema)
  if (validate === undefined || standardOf(schema)?.vendor !== 'zod') return validate
  const { _zod } = schema as { _zod: { run(payload: object, context: object): unknown } }
  return (value) => {
    const run = _zod.run({ value, issues: [] }, { async: true })
    return run instanceof Promise ? (run as Promise<StandardResult<unknown>>) : validate(value)
  }
}

/** Whether the library of a schema tries all branches of a union that declares no discriminator. */
export function triesAllBranches(schema: unknown): boolean {
  const vendor = standardOf(schema)?.vendor
  return vendor !== undefined && vendor !== 'arktype'
}

/** The result of one field. */
export type FieldResult = StandardResult<unknown>

/** The fields of a schema that does not transform objects as a whole, or the branches of a union. */
export type LibraryStructure =
  | {
      /** Validates a field on its own. Returns `undefined` if the schema has no such field. */
      readonly checkField: (name: string, value: unknown) => FieldResult | Promise<FieldResult> | undefined
    }
  | { readonly branches: readonly unknown[] }

/** The value that clients send by a schema, or the value that its transformations return. */
export type Side = 'input' | 'output'

type LibraryOptions = Readonly<Record<string, unknown>>

/** Marks a schema that a library can't describe as JSON Schema. */
export const refusedKeyword = '~refused'

/** The part of a schema library that `resource()` uses. */
export interface SchemaLibrary {
  /**
   * Returns the structure of a schema, `undefined` if it transforms objects as a whole, or the
   * library does not show it.
   */
  readonly structureOf: (schema: unknown) => LibraryStructure | undefined
  /** Removes server-set fields from a schema. */
  readonly omit: Omit
  /** Code that removes a field from a schema, for errors. */
  readonly omitExample: string
  /** Options for its JSON Schema. */
  readonly jsonSchemaOptions?: LibraryOptions
  /** Further options that describe a result as anything if JSON Schema has no words for it. */
  readonly undescribedOptions?: LibraryOptions
  /** Further options that skip checks which JSON Schema has no words for. */
  readonly inputFallbackOptions?: LibraryOptions
  /** Options that mark what JSON Schema can't describe by `refusedKeyword`. */
  readonly markRefused?: LibraryOptions
  /** Converts a schema, if that takes more than one call of `write`. */
  readonly convert?: (
    schema: unknown,
    side: Side,
    options: LibraryOptions,
    write: (options: LibraryOptions) => JsonSchema
  ) => JsonSchema
}

/** Returns the structure of an object with a schema for each field. */
export const fieldsStructure = (fields: Readonly<Record<string, unknown>>, others: unknown): LibraryStructure => ({
  checkField(name, value) {
    const validate = asyncValidateOf(Object.hasOwn(fields, name) ? fields[name] : others)
    return validate && withName(name, validate(value))
  }
})

async function withName(name: string, result: FieldResult | Promise<FieldResult>): Promise<FieldResult> {
  const { issues, value } = (await result) as { issues?: readonly StandardIssue[]; value?: unknown }
  if (issues === undefined) return { value }
  return { issues: issues.map(({ message, path = [] }) => ({ message, path: [name, ...path] })) }
}

/**
 * Returns whether a pattern means something else in JSON Schema, which has no flags of regular
 * expressions.
 */
export const isOtherPattern = (pattern: unknown): pattern is RegExp =>
  pattern instanceof RegExp && /[imsv]/.test(pattern.flags)
