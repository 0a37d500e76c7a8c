import { attempt } from './errors.js'

/** Whether a media type is one of JSON's. */
export const isJSON = (type: string) => /[/+]json\b/i.test(type)

/** Whether a content type is that of a form with files. */
export const isMultipart = (type: string) => /^multipart\/form-data\s*(;|$)/i.test(type)

export type StreamKind = 'getReader' | 'pipe' | 'asyncIterator'

/**
 * Tells what makes a value a stream: the method `getReader` of a web stream, `pipe` of a Node stream, or else that of
 * an async iterable, such as an async generator (one with a `toJSON` is data). `undefined` if it is no stream. Only
 * functions count, since a record may have fields of these names.
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
