import type { StandardResult, StandardSchema } from '../../../types/resource.js'
import { type CountTries, triesBesideTags, triesInOrder } from '../../schema/incoming.js'
import { standardOf } from './json-schema.js'

/** What checks a value by the library of its schema. */
export type Validate = NonNullable<StandardSchema['~standard']['validate']>

interface WithAsyncParse {
  safeParseAsync(
    value: unknown
  ): Promise<{ data?: unknown; error?: Extract<StandardResult<unknown>, { issues: object }> }>
}

/** The check of a schema, `undefined` where it has none. */
export const validateOf = (schema: unknown): Validate | undefined => standardOf(schema)?.validate

/**
 * The check of a schema that may wait. That of zod tries it without waiting first: each async check would run twice, and one that fails
 * would end the process, since nobody waits for the first try.
 */
export function waitingOf(schema: unknown): Validate | undefined {
  if (standardOf(schema)?.vendor !== 'zod') return validateOf(schema)
  return async (value) => {
    const { data, error } = await (schema as WithAsyncParse).safeParseAsync(value)
    return error ?? { value: data }
  }
}

/** The check of a schema by its own library, and how that one decides unions. */
export function checkOf(schema: unknown): { validate: Validate | undefined; countTries: CountTries } {
  const vendor = standardOf(schema)?.vendor
  const triesAll = vendor !== undefined && vendor !== 'arktype'
  return { validate: waitingOf(schema), countTries: triesAll ? triesInOrder : triesBesideTags }
}
