import type { FastifyRequest } from 'fastify'
import qs from 'qs'
import type { QueryParser } from '../../types/query.js'
import { BadRequest } from '../core/errors.js'
import { createPlainParser } from './plain-query.js'
import type { Router } from './router.js'

/** Parses a text into nested values. For a text that is refused it returns the error, and never throws. */
export type Parse = (text: string) => Record<string, unknown> | BadRequest

/**
 * Makes the parser of query strings and of urlencoded bodies (docs/http.md#queries): what passes a
 * limit is refused, never cut, since a filter that is cut selects more records.
 */
export function createParser(options: QueryParser = {}): Parse {
  if (typeof options === 'function') return (text) => parseSafely(() => options(text) ?? {})
  const parameterLimit = options.parameterLimit ?? 1000
  const settings: qs.IParseOptions = {
    ...options,
    parameterLimit,
    strictDepth: true,
    plainObjects: false,
    allowPrototypes: false
  }
  const parsePlain = createPlainParser(options)
  return (text) => {
    if (text === '') return {}
    // A text that is not longer than the limit can't hold more parameters than it.
    if (text.length > parameterLimit && text.split('&').length > parameterLimit) {
      return new BadRequest(`There are more than ${parameterLimit} parameters`)
    }
    return parsePlain(text) ?? parseSafely(() => qs.parse(text, settings))
  }
}

function parseSafely(parse: () => Record<string, unknown>): Record<string, unknown> | BadRequest {
  try {
    return parse()
  } catch (error) {
    return new BadRequest(error instanceof RangeError ? error.message : "The query can't be parsed", undefined, {
      cause: error
    })
  }
}

/**
 * Parses the query of a request again, since a plugin can't set the parser of an instance. This comes before
 * validation, so that schemas validate and coerce the result.
 *
 * @throws {BadRequest} when the query passes a limit
 */
export function readQuery(request: FastifyRequest, parse: Parse, router: Router): void {
  const query = parse(router.query(request.url))
  if (query instanceof BadRequest) throw query
  request.query = query
}
