import type { HookContext, NextFunction } from '../../types/hooks.js'
import { attempt, BadRequest, GeneralError } from '../core/errors.js'
import { onStart, outermost, type Place } from '../core/hooks.js'
import { errorWithout } from './protected-error.js'
import { isStream, mapStream, type Stream } from './protected-stream.js'
import { without } from './without.js'

/** What a query over these has as texts are values, and what it has as objects are queries. All other operators name fields. */
const ofValues = new Set(
  `$eq $ne $gt $gte $ge $lt $lte $le $in $nin $all $between $notbetween $like $notlike $ilike $notilike $startswith $endswith
  $contains $regex $options $search $and $or $nor $not $elemmatch`.split(/\s+/)
)

/**
 * Whether a query names one of the fields, at any depth: by itself, with a table before it, or, for adapters that read SQL there, in
 * a longer text. To select a field is no use, as it does not leave, unless it is under another name.
 */
function names(query: unknown, fields: readonly string[], isNaming = false): boolean {
  if (typeof query === 'string') return isNaming && isNamed(query, fields)
  return Object.entries(Object(query) as object).some(([key, value]) => {
    if (isNamed(key, fields)) return true
    if (key === '$select') return [value].flat().some((one) => !fields.includes(one) && names(one, fields, true))
    return names(value, fields, isNaming || (key.startsWith('$') && !ofValues.has(key.toLowerCase())))
  })
}

const isNamed = (text: string, fields: readonly string[]) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_$]+/u)
    // As `$password`, the path of a field.
    .flatMap((word) => [word, word.replace(/^\$+/, '')])
    .some((word) => fields.some((field) => field.toLowerCase() === word))

/** A result without the fields. */
function clean(result: unknown, fields: readonly string[]): unknown {
  if (result instanceof Response) return cleanBody(result, fields)
  if (isStream(result)) return cleanStream(result, fields)
  try {
    return without(result, fields)
  } catch (cause) {
    throw new GeneralError('The result can not be serialized', undefined, { cause })
  }
}

function cleanStream(stream: Stream, fields: readonly string[]): Stream {
  const fail = (error: unknown) => errorWithout(error, fields)
  try {
    return mapStream(stream, (record) => clean(record, fields), fail)
  } catch (error) {
    throw fail(error)
  }
}

/** The bytes of a `Response` are what they are, but they may end with an error. */
function cleanBody(response: Response, fields: readonly string[]): Response {
  const { body, url } = response
  if (body === null || body.locked) return response
  // By its address the server knows one that `fetch` gave.
  return Object.defineProperty(new Response(cleanStream(body, fields) as ReadableStream, response), 'url', {
    value: url
  })
}

/** The same for a call of the server, which it must not disturb: `null` for what can not be read, or only once. */
const show = (result: unknown, fields: readonly string[]): unknown =>
  isStream(result) ? null : (attempt(() => without(result, fields)) ?? null)

/**
 * An around hook that keeps fields out of everything that leaves through a service, at any depth: results, the records of a stream,
 * the data of errors. It sets `context.dispatch`, and for calls over HTTP `context.result` too, and refuses a query of theirs that
 * names a field. It stands outside all other hooks of a service, wherever it is added. What the server calls itself gets all fields.
 *
 * @param fields the names of the fields
 * @returns a hook for `around`; it throws BadRequest for a query over HTTP that names one of the fields
 * @throws when no field is named; when the server starts, if it is no around hook
 * @example
 * app.service('users').hooks({ around: { all: [protect('password')] } })
 */
export function protect(...fields: string[]): (context: HookContext, next: NextFunction) => Promise<void> {
  if (fields.length === 0) throw new Error("protect needs the name of a field: protect('password')")
  const hook = async (context: HookContext, next: NextFunction) => {
    const { provider, query } = context.params
    if (provider && names(query, fields)) throw new BadRequest(`There is nothing to ask about: ${fields.join(', ')}`)
    try {
      await next()
    } catch (error) {
      throw provider ? errorWithout(error, fields) : error
    }
    const given = context.dispatch === undefined ? context.result : context.dispatch
    context.dispatch = (provider ? clean : show)(given, fields)
    if (provider) context.result = context.dispatch
  }
  const check = ({ path, type }: Place) => {
    if (type !== 'around') throw new Error(`protect at '${path}' is a hook for 'around', not for '${type}'`)
  }
  return Object.assign(hook, { [outermost]: true, [onStart]: check })
}
