import { attempt } from './errors.js'

/** The method that makes a value a stream: `getReader` of the web, `pipe` of Node; `undefined` when it is none. */
export function streamOf(value: unknown): 'getReader' | 'pipe' | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return attempt(() => {
    const { getReader, pipe } = value as Record<string, unknown>
    if (typeof getReader === 'function') return 'getReader'
    return typeof pipe === 'function' ? 'pipe' : undefined
  })
}
