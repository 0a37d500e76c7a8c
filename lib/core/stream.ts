import { read } from './errors.js'

/** The method that makes a value a stream: `getReader` of the web, `pipe` of Node; `undefined` when it is none. */
export const streamOf = (value: unknown): 'getReader' | 'pipe' | undefined =>
  (['getReader', 'pipe'] as const).find((name) => typeof read(value, name) === 'function')
