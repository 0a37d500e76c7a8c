import type { ClientResponse, Transport } from '../message.js'
import { abortable } from './abortable.js'

type Callback = (
  this: { abort(): unknown },
  error: unknown,
  response: { statusCode: number; headers: { 'content-type'?: string | undefined } },
  body: Uint8Array<ArrayBuffer>
) => void

/** What the adapter needs of request, or of its `defaults(…)`. */
export type RequestLibrary = { call(options: object, callback: Callback): { abort(): unknown } }['call']

export const requestTransport: Transport<RequestLibrary> = (library, { url, method, headers, body, options, signal }) =>
  abortable<ClientResponse>(signal, (resolve, reject) => {
    const settings = {
      ...options,
      url,
      method,
      headers,
      body,
      encoding: null,
      json: false
    }
    const sent = library(settings, function (error, response, body) {
      if (!error) return resolve({ status: response.statusCode, type: response.headers['content-type'], body })
      // A request with a body that it can't send would go on, and throw beyond any call.
      this.abort()
      reject(error)
    })
    return () => sent.abort()
  })
