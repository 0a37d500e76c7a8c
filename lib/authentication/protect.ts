import { types } from 'node:util'
import type { HookContext, NextFunction } from '../../types/hooks.js'
import { selectsRows } from '../compat/postgres-rows.js'
import { attempt, BadRequest, GeneralError } from '../core/errors.js'
import { withFieldCheck } from '../core/field-names.js'
import { forbidAsHook, type HookPosition, withTraits } from '../core/hooks.js'
import { checkFieldName } from '../core/options.js'
import { redactError, redactFields } from '../core/redact.js'
import { implementationOf } from '../core/service-meta.js'
import { resolveToJson } from '../schema/to-json.js'
import { isStream, mapStream, mapWeb, type Stream } from '../shared/streams.js'

/**
 * Creates an around hook that redacts fields from everything that leaves through a service, at any
 * depth: results, streams, the data of errors (docs/accounts.md#hide-fields-from-clients). It is
 * outside of all other hooks of the service, wherever you add it. Internal calls get all fields.
 *
 * @param fields the names of the fields
 * @returns a hook for `around`. It throws BadRequest for a query over HTTP that names one of them
 * @throws if no field is named, or a name is not valid; when the server starts, if it is no around
 * hook, or a name looks like a misspelt field
 * @example
 * app.service('users').hooks({ around: { all: [protect('password')] } })
 */
export function protect(...fields: string[]): (context: HookContext, next: NextFunction) => Promise<void> {
  for (const field of fields.length === 0 ? [undefined] : fields) checkFieldName('protect', field, 'password')
  const isHidden = createNameCheck(fields)
  const hook = async (context: HookContext, next: NextFunction) => {
    const { provider, query } = context.params
    if (provider && query !== undefined) await checkQuery(query, context)
    try {
      await next()
    } catch (error) {
      throw provider ? redactError(error, fields, types) : error
    }
    const response = context.dispatch === undefined ? context.result : context.dispatch
    context.dispatch = (provider ? redactResult : toDispatch)(response, fields)
    if (provider) context.result = context.dispatch
  }
  async function checkQuery(query: object, { service, params }: HookContext): Promise<void> {
    const names = [...namesInQuery(query)]
    const texts = names.map(({ text }) => text)
    const object = implementationOf(service)
    if (names.some(isHidden) || (await selectsRows(texts, object, params)))
      throw new BadRequest(`A query can't name these fields: ${fields.join(', ')}`)
  }
  const check = ({ path, type }: HookPosition) => {
    if (type !== 'around') throw new Error(`protect at '${path}' is a hook for 'around', not for '${type}'`)
  }
  const traits = { isOutermost: true, check, removesFields: fields }
  return withFieldCheck(withTraits(hook, traits), { who: 'protect', fields, where: 'anywhere' })
}

forbidAsHook(protect, "protect('password')")

/**
 * The operators whose operands are values or queries. All other operators take names of fields.
 */
const valueOperators = new Set(
  `$eq $ne $gt $gte $ge $lt $lte $le $in $nin $all $between $notbetween $like $notlike $ilike $notilike $startswith $endswith
  $contains $regex $options $search $and $or $nor $not $elemmatch`.split(/\s+/)
)

/** A name of a field in a query, or a text that may have several, such as SQL. */
interface QueryName {
  readonly text: string
  readonly isSelected: boolean
}

function* namesInQuery(query: unknown, isName = false): Generator<QueryName> {
  if (typeof query === 'string' && isName) yield { text: query, isSelected: false }
  if (typeof query !== 'object' || query === null) return
  for (const [key, value] of Object.entries(query)) {
    yield { text: key, isSelected: false }
    if (key !== '$select')
      yield* namesInQuery(value, isName || (key.startsWith('$') && !valueOperators.has(key.toLowerCase())))
    else
      for (const name of [value].flat())
        if (typeof name === 'string') yield { text: name, isSelected: true }
        else yield* namesInQuery(name, true)
  }
}

/**
 * Creates the function that says whether a name is a hidden field: by itself, with a table before
 * it, or within a text, which some adapters pass on as SQL. `$select` may name a hidden field,
 * which is redacted anyway, but not under an alias.
 */
function createNameCheck(fields: readonly string[]): (name: QueryName) => boolean {
  const spellings = fields.map(toSpelling)
  const words = new Set(spellings)
  const texts = spellings.filter((spelling) => !/^[\p{L}\p{N}_$]+$/u.test(spelling))
  const isNamed = (text: string) => {
    const spelling = toSpelling(text)
    if (texts.some((hidden) => spelling.includes(hidden))) return true
    // `$password` is how MongoDB refers to a field.
    for (const word of spelling.split(/[^\p{L}\p{N}_$]+/u))
      if (words.has(word) || (word.startsWith('$') && words.has(word.replace(/^\$+/, '')))) return true
    return false
  }
  return ({ text, isSelected }) => isNamed(text) && !(isSelected && fields.includes(text))
}

/**
 * Returns a text with one spelling for all names that may mean the same column: mappers of adapters
 * read `reset_token` for `resetToken`, and databases `SALARY ` for `salary`. Some databases ignore
 * accents and the width of letters, too.
 */
export function toSpelling(text: string): string {
  const plain = /[^ -~]/.test(text) ? withoutAccents(text) : text
  return plain
    .trim()
    .toLowerCase()
    .replace(/_(?<=[\p{L}\p{N}]_)_*(?=[\p{L}\p{N}])/gu, '')
}

/**
 * Removes accents and returns the upper case. Marks are removed before `normalize`, which takes
 * quadratic time for many marks in a row.
 */
const withoutAccents = (text: string) =>
  text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\p{M}+/gu, '')
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()

function redactResult(input: unknown, fields: readonly string[]): unknown {
  const result = resolveResult(input)
  if (result instanceof Response) return redactResponse(result, fields)
  // Bytes are no record.
  if (result instanceof Blob) return result
  if (isStream(result)) return redactStream(result, fields)
  try {
    return redactFields(result, fields, types)
  } catch (cause) {
    throw notJson(cause)
  }
}

/** Resolves `toJSON` of a result, which may return a stream. */
function resolveResult(result: unknown): unknown {
  try {
    return isStream(result) ? result : resolveToJson(result)
  } catch (cause) {
    throw notJson(cause)
  }
}

const notJson = (cause: unknown) =>
  new GeneralError('The result is not JSON (BigInt or a cycle?)', undefined, { cause })

function redactStream(stream: Stream, fields: readonly string[]): Stream {
  try {
    return mapStream(stream, (record) => redactResult(record, fields), errorRedactor(fields))
  } catch (error) {
    throw redactError(error, fields, types)
  }
}

/** Redacts the error that the body of a `Response` may end with. The body itself stays. */
function redactResponse(response: Response, fields: readonly string[]): Response {
  const { body, url } = response
  if (body === null) return response
  const redacted = mapWeb(body, (bytes) => bytes, errorRedactor(fields))
  // The server recognizes a response of `fetch` by its URL.
  return Object.defineProperty(new Response(redacted, response), 'url', { value: url })
}

const errorRedactor =
  (fields: readonly string[]) =>
  <E>(error: E): E =>
    redactError(error, fields, types)

/**
 * The redacted result of a call of the server, for the listeners of its event and for others who
 * have its context. `null` for a stream, and for a result that can't be read.
 */
function toDispatch(result: unknown, fields: readonly string[]): unknown {
  const dispatch = isStream(result) ? null : attempt(() => redactFields(result, fields, types))
  return isStream(dispatch) ? null : (dispatch ?? null)
}
