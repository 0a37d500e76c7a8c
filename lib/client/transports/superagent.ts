import type { Library } from '../library.js'
import type { ClientResponse } from '../message.js'
import { abortable } from './abortable.js'

type Request = {
  method: string
  set(headers: object): Request
  send(body: unknown): Request
  toJSON(): { data?: unknown }
  ok(isOk: () => boolean): Request
  responseType(type: string): Request
  serialize(serialize: (body: unknown) => unknown): Request
  abort(): unknown
} & PromiseLike<ClientResponse>

/** The part of superagent that the adapter uses, or of `superagent.agent()`. */
export interface Superagent {
  post(url: string): object
}

export const superagentLibrary: Library<'superagent', Superagent> = {
  name: 'superagent',
  isXHR: true,
  send: (superagent, { url, method, headers, body, options, signal }) =>
    abortable<ClientResponse>(signal, (resolve, reject) => {
      const request = superagent.post(url) as Request
      // Superagent has no function for QUERY, but the verb of a request can be changed.
      request.method = method
      request
        .set(headers)
        .ok(() => true)
        .responseType('arraybuffer')
        .serialize((body) => body)
      // Options of superagent are methods: `timeout`, `withCredentials`, …
      for (const name in options) request[name as 'send']?.(options[name])
      // Superagent copies the keys of a body that it does not know into a plain object.
      if (request.send(body).toJSON().data !== body) throw new Error("superagent can't send this: use fetch")
      request.then(resolve, reject)
      return () => request.abort()
    })
}
