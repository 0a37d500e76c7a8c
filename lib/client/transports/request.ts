import type { Library } from '../library.js'
import type { ClientResponse } from '../message.js'
import type { AdapterOptions } from '../rest-service.js'
import { abortable } from './abortable.js'

type Callback = (
  this: { abort(): unknown },
  error: unknown,
  response: { statusCode: number; headers: Readonly<Record<string, unknown>> },
  body: Uint8Array
) => void

/** The part of request that the adapter uses, or of its `defaults(…)`. */
export type RequestLibrary = { call(options: object, callback: Callback): { abort(): unknown } }['call']

/** Headers are set by `request.defaults`. */
export interface RequestOptions extends Omit<AdapterOptions, 'headers'> {
  headers?: never
}

export const requestLibrary: Library<'request', RequestLibrary, RequestOptions> = {
  name: 'request',
  check({ headers = {} }) {
    if (Object.keys(headers).length > 0) throw new Error('Set headers by request.defaults({ headers })')
  },
  send: (request, { url, method, headers, body, options, signal }) =>
    abortable<ClientResponse>(signal, (resolve, reject) => {
      const settings = { ...options, url, method, headers, body, encoding: null, json: false }
      const sent = request(settings, function (error, response, body) {
        if (!error) return resolve({ status: response.statusCode, headers: response.headers, body })
        // With a body that it can't send, request would go on after this error and throw outside of
        // the call.
        this.abort()
        reject(error)
      })
      return () => sent.abort()
    })
}
