import { types } from 'node:util'
import type { HookContext, NextFunction } from '../../types/hooks.js'
import { attempt, BadRequest, GeneralError } from '../core/errors.js'
import { forbidAsHook, type HookPosition, withTraits } from '../core/hooks.js'
import { checkFieldName } from '../core/options.js'
import { redactError, redactFields } from '../core/redact.js'
import { resolveToJson } from '../schema/to-json.js'
import { isStream, mapStream, mapWeb, type Stream } from '../shared/streams.js'
import { asksForRows, inOneSpelling } from './whole-rows.js'

/**
 * The operators of a query whose texts are values, and whose objects are queries again. All other
 * operators take names of fields.
 */
const valueOperators = new Set(
  `$eq $ne $gt $gte $ge $lt $lte $le $in $nin $all $between $notbetween $like $notlike $ilike $notilike $startswith $endswith
  $contains $regex $options $search $and $or $nor $not $elemmatch`.split(/\s+/)
)

/** A name of a field in a query, or a longer text that may have some. */
interface QueryName {
  readonly text: string
  /** Whether it is a name that `$select` lists. */
  readonly isSelected: boolean
}

function* queryNames(query: unknown, isName = false): Generator<QueryName> {
  if (typeof query === 'string' && isName) yield { text: query, isSelected: false }
  if (typeof query !== 'object' || query === null) return
  for (const [key, value] of Object.entries(query)) {
    yield { text: key, isSelected: false }
    if (key !== '$select')
      yield* queryNames(value, isName || (key.startsWith('$') && !valueOperators.has(key.toLowerCase())))
    else
      for (const name of [value].flat())
        if (typeof name === 'string') yield { text: name, isSelected: true }
        else yield* queryNames(name, true)
  }
}

/**
 * Makes what tells whether a name is one of the fields: by itself, with a table before it, or in a
 * longer text, which some adapters pass on as SQL. `$select` may name a field, since that does not
 * leave anyway, unless it is selected under another name.
 */
function namesAnyOf(fields: readonly string[]): (name: QueryName) => boolean {
  const spellings = fields.map(inOneSpelling)
  const words = new Set(spellings)
  const texts = spellings.filter((spelling) => !/^[\p{L}\p{N}_$]+$/u.test(spelling))
  const isNamed = (text: string) => {
    const plain = inOneSpelling(text)
    if (texts.some((spelling) => plain.includes(spelling))) return true
    // `$password` is how MongoDB refers to a field.
    for (const word of plain.split(/[^\p{L}\p{N}_$]+/u))
      if (words.has(word) || (word.startsWith('$') && words.has(word.replace(/^\$+/, '')))) return true
    return false
  }
  return ({ text, isSelected }) => isNamed(text) && !(isSelected && fields.includes(text))
}

/** A result without the fields. */
function cleanResult(input: unknown, fields: readonly string[]): unknown {
  const result = resolveResult(input)
  if (result instanceof Response) return cleanResponse(result, fields)
  // Bytes are no record.
  if (result instanceof Blob) return result
  if (isStream(result)) return cleanStream(result, fields)
  try {
    return redactFields(result, fields, types)
  } catch (cause) {
    throw notJson(cause)
  }
}

/** What a result stands for: its `toJSON` may give a stream. */
function resolveResult(result: unknown): unknown {
  try {
    return isStream(result) ? result : resolveToJson(result)
  } catch (cause) {
    throw notJson(cause)
  }
}

const notJson = (cause: unknown) =>
  new GeneralError('The result is not JSON (BigInt or a cycle?)', undefined, { cause })

function cleanStream(stream: Stream, fields: readonly string[]): Stream {
  try {
    return mapStream(stream, (record) => cleanResult(record, fields), errorsWithout(fields))
  } catch (error) {
    throw redactError(error, fields, types)
  }
}

/** A `Response` whose body is the same, but for the error that it may end with. */
function cleanResponse(response: Response, fields: readonly string[]): Response {
  const { body, url } = response
  if (body === null) return response
  const cleaned = mapWeb(body, (bytes) => bytes, errorsWithout(fields))
  // The server tells by the URL that `fetch` has made a response.
  return Object.defineProperty(new Response(cleaned, response), 'url', { value: url })
}

const errorsWithout =
  (fields: readonly string[]) =>
  <E>(error: E): E =>
    redactError(error, fields, types)

/**
 * What listeners get of a call of the server, whose result stays as it is: `null` for a stream, and
 * for what can't be read.
 */
const show = (result: unknown, fields: readonly string[]): unknown => {
  const shown = isStream(result) ? null : attempt(() => redactFields(result, fields, types))
  return isStream(shown) ? null : (shown ?? null)
}

/**
 * An around hook that removes fields from everything that leaves through a service, at any depth:
 * results, the records of a stream, the data of errors. It sets `context.dispatch` and, for calls
 * over HTTP, `context.result` too. It refuses a query over HTTP that names a field. It runs outside
 * all other hooks of the service, wherever it is added. Calls of the server itself get all fields.
 *
 * @param fields the names of the fields
 * @returns a hook for `around`; it throws BadRequest for a query over HTTP that names one of the
 * fields
 * @throws when no field is named, or what is no name; when the server starts, if it is no around
 * hook
 * @example
 * app.service('users').hooks({ around: { all: [protect('password')] } })
 */
export function protect(...fields: string[]): (context: HookContext, next: NextFunction) => Promise<void> {
  for (const field of fields.length === 0 ? [undefined] : fields) checkFieldName('protect', field, 'password')
  const namesAny = namesAnyOf(fields)
  const hook = async (context: HookContext, next: NextFunction) => {
    const { provider, query } = context.params
    if (provider && query !== undefined) {
      const names = [...queryNames(query)]
      const isRefused =
        names.some(namesAny) ||
        (await asksForRows(
          names.map(({ text }) => text),
          context
        ))
      if (isRefused) throw new BadRequest(`A query can't name these fields: ${fields.join(', ')}`)
    }
    try {
      await next()
    } catch (error) {
      throw provider ? redactError(error, fields, types) : error
    }
    // Of a call of the server, only the listeners of its event get `dispatch`.
    if (!provider && !context.event && isRead(context)) return
    const response = context.dispatch === undefined ? context.result : context.dispatch
    context.dispatch = (provider ? cleanResult : show)(response, fields)
    if (provider) context.result = context.dispatch
  }
  const check = ({ path, type }: HookPosition) => {
    if (type !== 'around') throw new Error(`protect at '${path}' is a hook for 'around', not for '${type}'`)
  }
  return withTraits(hook, { isOutermost: true, check, removesFields: fields })
}

forbidAsHook(protect, "protect('password')")

const isRead = ({ method }: HookContext) => method === 'get' || method === 'find'
