import type { Verb } from '../../core/methods.js'
import type { Library } from '../library.js'
import type { ClientResponse } from '../message.js'
import { abortable } from './abortable.js'

type Request = {
  set(headers: object): Request
  send(body: unknown): Request
  toJSON(): { data?: unknown }
  ok(isOk: () => boolean): Request
  responseType(type: string): Request
  serialize(serialize: (body: unknown) => unknown): Request
  abort(): unknown
} & PromiseLike<ClientResponse>

/** What the adapter needs of superagent, or of `superagent.agent()`: a method for each verb. */
export type Superagent = Record<Lowercase<Verb>, (url: string) => object>

export const superagentLibrary: Library<'superagent', Superagent> = {
  name: 'superagent',
  isXHR: true,
  send: (superagent, { url, method, headers, body, options, signal }) =>
    abortable<ClientResponse>(signal, (resolve, reject) => {
      const request = superagent[method.toLowerCase() as Lowercase<Verb>](url) as Request &
        Record<string, (value: unknown) => unknown>
      request
        .set(headers)
        .ok(() => true)
        .responseType('arraybuffer')
        .serialize((body) => body)
      // Options of superagent are methods: `timeout`, `withCredentials`, …
      for (const [name, value] of Object.entries(options)) request[name]?.(value)
      // Superagent copies the keys of a body that it does not know into a plain object.
      if (request.send(body).toJSON().data !== body) throw new Error("superagent can't send this: use fetch")
      request.then(resolve, reject)
      return () => request.abort()
    })
}
