import type { RequestHeaders } from './headers.js'

/** The request of a call, as every HTTP library gets it. */
export interface ClientRequest {
  /** The name of the service. */
  readonly service: string
  /** The method that is called. */
  readonly call: string
  /** The HTTP method. */
  readonly method: string
  readonly url: string
  readonly headers: RequestHeaders
  /** A string is JSON. Anything else is sent as it is, and `undefined` means no body. */
  readonly body: unknown
  /** Options of the call for the HTTP library. */
  readonly options: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
  /** Whether it carries a secret that no redirect may take to another origin, such as the password of a login. */
  readonly isSecret?: boolean
}

/** The response, as every HTTP library returns it. */
export interface ClientResponse {
  readonly status: number
  /** The headers: `Headers`, or an object whose names are in lower case. */
  readonly headers: { get(name: string): string | null } | Readonly<Record<string, unknown>>
  readonly body: Uint8Array | ArrayBuffer
}

/** Reads a header of a response. A server may send one that is called `get`. */
export const headerOf = ({ headers }: ClientResponse, name: string): string | null | undefined =>
  typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, string>)[name]
