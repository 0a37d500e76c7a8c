import { attempt } from './errors.js'
import { isObject } from './objects.js'

/** Whether a media type is one of JSON's. */
export const isJSON = (type: string) => /[/+]json\b/i.test(type)

/** The media type of problem details (RFC 9457). */
export const problemType = 'application/problem+json'

/** Whether a content type is a form with files. */
export const isMultipart = (type: string) => /^multipart\/form-data\s*(;|$)/i.test(type)

export type StreamKind = 'getReader' | 'pipe' | 'asyncIterator'

/**
 * Returns the method that makes a value a stream: `getReader` of a web stream, `pipe` of a Node
 * stream, or the async iterator of others, such as an async generator (one with a `toJSON` is
 * data). `undefined` if it is no stream. Only functions count, since a record may have fields of
 * these names.
 */
export function streamOf(value: unknown): StreamKind | undefined {
  // Every result passes here, and a loop is slower.
  return attempt(() => {
    const {
      getReader,
      pipe,
      toJSON,
      [Symbol.asyncIterator]: asyncIterator
    } = (value ?? {}) as Record<PropertyKey, unknown>
    if (typeof getReader === 'function') return 'getReader'
    if (typeof pipe === 'function') return 'pipe'
    return typeof asyncIterator === 'function' && typeof toJSON !== 'function' ? 'asyncIterator' : undefined
  })
}

type Declaration = Record<string, unknown>

/** The media type that matches all types. */
export const allTypes = '*/*'

/** The schemas of an answer that Fastify has by its content type; `undefined` for any other. */
export function contentByType(answer: unknown): Declaration | undefined {
  const { content, type, properties, $ref } = Object(answer) as Declaration
  return isObject(content) && (type ?? properties ?? $ref) === undefined ? content : undefined
}

/**
 * Returns the schema of an answer that Fastify has by content type: by the type of the answer, or
 * else for JSON, or for all types.
 *
 * @param type of the answer, where it has one
 */
export function withoutContent(answer: unknown, type?: string): Declaration | undefined {
  const content = contentByType(answer)
  return content === undefined ? (answer as Declaration) : Object(content[typeIn(content, type)]).schema
}

/** Returns which type of a declaration applies to an answer. */
function typeIn(content: Declaration, type?: string): string {
  const types = Object.keys(content)
  const named = [mediaTypeOf(type), 'application/json'].map((media) => types.find((key) => mediaTypeOf(key) === media))
  return named.find((key) => key !== undefined) ?? types.find(isJSON) ?? allTypes
}

const mediaTypeOf = (type = '') => type.split(';', 1)[0]?.trim().toLowerCase()
