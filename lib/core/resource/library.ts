import { serverSetNames } from '../../schema/schema-flags.js'
import type { Shape } from '../../schema/shape.js'
import { attempt, NotImplemented } from '../errors.js'
import { arktype } from './arktype.js'
import { issuePath } from './issues.js'
import { LibraryPlace, serverNamesWithin } from './omit.js'
import { createFieldsValidate } from './patch.js'
import {
  asyncValidateOf,
  immediateValidateOf,
  type SchemaLibrary,
  type StandardValidate,
  standardOf
} from './standard-schema.js'
import { valibot } from './valibot.js'
import { zod } from './zod.js'

const librariesByVendor: ReadonlyMap<string | undefined, SchemaLibrary> = new Map(
  Object.entries({ zod, valibot, arktype })
)

/** Returns the library of a schema, `undefined` for JSON Schema and for other libraries. */
export const libraryOf = (schema: unknown): SchemaLibrary | undefined =>
  librariesByVendor.get(standardOf(schema)?.vendor)

/**
 * Creates the check of whole records by the library of their schema.
 * @throws {TypeError} as `withoutServerFields` does
 */
export function createWholeCheck(schema: unknown, root: Shape): StandardValidate {
  return root.remember(schema, () => {
    const omitted = withoutServerFields(schema, root, 'create')
    refuseAskedFields(schema, immediateValidateOf(omitted) as StandardValidate, root)
    return explainErrors(asyncValidateOf(omitted) as StandardValidate, root, 'create')
  })
}

/**
 * Creates the check of parts of records by the library of their schema.
 * @throws {TypeError} if it can't check them
 */
export function createPatchCheck(schema: unknown, root: Shape): StandardValidate {
  const discriminators = root.unions.map(({ discriminator }) => discriminator)
  const validate = createFieldsValidate(withoutServerFields(schema, root, 'patch'), discriminators, (inner) =>
    libraryOf(inner)?.structureOf(inner)
  )
  return explainErrors(validate, root, 'patch')
}

/**
 * Returns a schema without the fields that only the server sets, made by the objects of its
 * library. Checks of whole objects, transformations and defaults stay, and so does a server-set
 * field with a default.
 *
 * @throws {TypeError} if the library can't do that
 */
function withoutServerFields(schema: unknown, root: Shape, option: 'create' | 'patch'): unknown {
  const { omit } = libraryOf(schema) ?? {}
  if (omit === undefined || serverNamesWithin(root).size === 0) return schema
  const place = new LibraryPlace(root, { omit, isPatch: option === 'patch', made: new Map(), pending: [] })
  try {
    return place.omitAll(schema)
  } catch (cause) {
    throw cannotOmit(schema, root, option, (cause as Error).message, cause)
  }
}

function cannotOmit(schema: unknown, root: Shape, option: 'create' | 'patch', reason: string, cause?: unknown) {
  const names = [...new Set([...serverNamesWithin(root), ...serverSetNames(root.narrow(undefined))])].join(', ')
  const { omitExample } = libraryOf(schema) ?? {}
  const example = omitExample === undefined ? '' : `, such as ${omitExample}`
  return new TypeError(
    `resource() can't check a body without the fields that only the server sets (${names}): ${reason}. ` +
      `Set the option \`${option}\` to a schema of what clients send${example}`,
    { cause }
  )
}

/**
 * Asks the library whether it still asks for a server-set field: some schemas keep others that they
 * were made of.
 */
function refuseAskedFields(schema: unknown, validate: StandardValidate, root: Shape): void {
  const names = serverSetNames(root.narrow(undefined))
  const result = names.size === 0 ? undefined : attempt(() => validate({}))
  if (result instanceof Promise) result.catch(() => {})
  const issues = result instanceof Promise ? [] : (result?.issues ?? [])
  if (issues.some(({ path }) => names.has(String(issuePath(path)[0]))))
    throw cannotOmit(schema, root, 'create', 'the schema asks for them all the same')
}

/** Says which option helps if a function of the schema reads a field that a body does not have. */
function explainErrors(validate: StandardValidate, root: Shape, option: 'create' | 'patch'): StandardValidate {
  const names = [...serverNamesWithin(root)].join(', ')
  if (names === '') return validate
  const explain = (error: unknown): never => {
    if (!isOfMissingField(error)) throw error
    throw new NotImplemented(
      `The schema can't check this body: one of its functions failed. A body lacks the fields that only the server sets ` +
        `(${names}). If the function reads them, set the option \`${option}\` of resource() to a schema of what clients send`,
      {},
      { cause: error }
    )
  }
  return (value) => {
    try {
      const result = validate(value)
      return result instanceof Promise ? result.catch(explain) : result
    } catch (error) {
      return explain(error)
    }
  }
}

/**
 * Whether an error may come of a missing field, as of `record.id.toFixed()` or `new
 * Date(record.at).toISOString()`.
 */
const isOfMissingField = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof RangeError && !error.message.includes('call stack'))
