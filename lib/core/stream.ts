import { attempt } from './errors.js'

/**
 * What makes a value a stream: the method `getReader` of the web, `pipe` of Node, or else that of an async iterable, such as what an
 * async generator gives (one with a `toJSON` is data). It is told by the functions, since a record may have a field of any name. `undefined` when it is none.
 */
export function streamOf(value: unknown): 'getReader' | 'pipe' | 'asyncIterator' | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  // Each result is asked: no loop.
  return attempt(() => {
    const { getReader, pipe, toJSON, [Symbol.asyncIterator]: asyncIterator } = value as Record<PropertyKey, unknown>
    if (typeof getReader === 'function') return 'getReader'
    if (typeof pipe === 'function') return 'pipe'
    return typeof asyncIterator === 'function' && typeof toJSON !== 'function' ? 'asyncIterator' : undefined
  })
}
