import { serverSetNames } from '../../schema/body-names.js'
import type { Shape } from '../../schema/shape.js'
import { attempt, NotImplemented } from '../errors.js'
import { issuePath } from './issues.js'
import { LibraryPlace, type Omit, serverNamesWithin } from './library-place.js'
import { omitFromArkType } from './omit-arktype.js'
import { omitFromValibot } from './omit-valibot.js'
import { omitFromZod } from './omit-zod.js'
import { createFieldsValidate } from './patch.js'
import { atOnceOf, type StandardValidate, standardOf, UnmergedError, waitingOf } from './standard-schema.js'

const omitByVendor: ReadonlyMap<string | undefined, { readonly omit: Omit; readonly example: string }> = new Map([
  ['zod', { omit: omitFromZod, example: ', such as Book.omit({ id: true })' }],
  ['valibot', { omit: omitFromValibot, example: ", such as toStandardJsonSchema(v.omit(book, ['id']))" }],
  ['arktype', { omit: omitFromArkType, example: ", such as Book.omit('id')" }]
])

/**
 * Creates the check of whole records by the library of their schema.
 * @throws {TypeError} as `withoutServerFields` does
 */
export function createWholeCheck(schema: unknown, root: Shape): StandardValidate {
  return root.remember(schema, () => {
    const omitted = withoutServerFields(schema, root, 'create')
    refuseAskedFields(schema, atOnceOf(omitted) as StandardValidate, root)
    return explainErrors(waitingOf(omitted) as StandardValidate, root, 'create')
  })
}

/**
 * Creates the check of parts of records by the library of their schema.
 * @throws {TypeError} if it can't check them
 */
export function createPatchCheck(schema: unknown, root: Shape): StandardValidate {
  const discriminators = root.unions.map(({ discriminator }) => discriminator)
  return explainErrors(createFieldsValidate(withoutServerFields(schema, root, 'patch'), discriminators), root, 'patch')
}

/**
 * Returns a schema without the fields that only the server sets, made by the objects of its
 * library. Checks of whole objects, transformations and defaults stay, and so does a server-set
 * field with a default.
 *
 * @throws {TypeError} if the library can't do that
 */
function withoutServerFields(schema: unknown, root: Shape, option: 'create' | 'patch'): unknown {
  const { omit } = omitByVendor.get(standardOf(schema)?.vendor) ?? {}
  if (omit === undefined || serverNamesWithin(root).size === 0) return schema
  const place = new LibraryPlace(root, { omit, isPart: option === 'patch', made: new Map(), pending: [] })
  try {
    return place.omitAll(schema)
  } catch (cause) {
    throw cannotOmit(schema, root, option, (cause as Error).message, cause)
  }
}

function cannotOmit(schema: unknown, root: Shape, option: 'create' | 'patch', reason: string, cause?: unknown) {
  const names = [...new Set([...serverNamesWithin(root), ...serverSetNames(root.narrow(undefined))])].join(', ')
  const { example = '' } = omitByVendor.get(standardOf(schema)?.vendor) ?? {}
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
  (error instanceof TypeError && !(error instanceof UnmergedError)) ||
  (error instanceof RangeError && !error.message.includes('call stack'))
