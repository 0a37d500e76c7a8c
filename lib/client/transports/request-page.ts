import type { Library } from '../library.js'
import type { RequestLibrary, RequestOptions } from './request.js'

/**
 * request is a library for Node. Bundlers for browsers put this in the place of `request.ts`, by
 * `browser` in package.json.
 */
export const requestLibrary: Library<'request', RequestLibrary, RequestOptions> = {
  name: 'request',
  send: () => Promise.reject(new Error('request is for Node'))
}
