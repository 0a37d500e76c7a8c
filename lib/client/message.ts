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
}

/** The response, as every HTTP library returns it. */
export interface ClientResponse {
  readonly status: number
  /** The header `Content-Type`, if there is one. */
  readonly type: string | null | undefined
  readonly body: Uint8Array | ArrayBuffer
}
