import type { ClientResponse, Transport } from '../message.js'
import { abortable } from './abortable.js'

type Request = {
  set(headers: object): Request
  send(body: unknown): Request
  toJSON(): { data?: unknown }
  ok(isOk: () => boolean): Request
  responseType(type: string): Request
  serialize(serialize: (body: unknown) => unknown): Request
  abort(): unknown
} & PromiseLike<{ status: number; headers: Record<string, string>; body: ClientResponse['body'] }>

/** What the adapter needs of superagent, or of `superagent.agent()`: a method for each verb. */
export type Superagent = Record<'get' | 'post' | 'put' | 'patch' | 'delete', (url: string) => object>

export const superagentTransport: Transport<Superagent> = (
  superagent,
  { url, method, headers, body, options, signal }
) =>
  abortable<ClientResponse>(signal, (resolve, reject) => {
    const request = superagent[method.toLowerCase() as keyof Superagent](url) as Request &
      Record<string, (value: unknown) => unknown>
    request
      .set(headers)
      .ok(() => true)
      .responseType('arraybuffer')
      .serialize((body) => body)
    // Its options are methods: `timeout`, `withCredentials`, …
    for (const [name, value] of Object.entries(options)) request[name]?.(value)
    // What it does not know as a body becomes an object of its keys.
    if (body !== undefined && request.send(body).toJSON().data !== body) throw new Error('superagent can not send it')
    request.then(({ status, headers, body }) => resolve({ status, type: headers['content-type'], body }), reject)
    return () => request.abort()
  })
