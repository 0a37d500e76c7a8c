import { read } from '../core/errors.js'
import type { Headers } from './headers.js'

/** A call as one HTTP request, for any library. */
export interface ClientRequest {
  /** The name of the service, and the method that is called. */
  readonly service: string
  readonly call: string
  /** The HTTP method. */
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** `undefined` for none. A string is JSON; everything else is sent as it is. */
  readonly body: unknown
  /** What the HTTP library is handed beside. */
  readonly options: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

/** The answer, from any library. */
export interface ClientResponse {
  readonly status: number
  /** The header `Content-Type`, where there is one. */
  readonly type: string | null | undefined
  readonly body: Uint8Array<ArrayBuffer> | ArrayBuffer
}

/** Sends a request through an HTTP library. It never throws for a status. */
export type Transport<Library> = (library: Library, request: ClientRequest) => Promise<ClientResponse>

/** The method that makes a body a stream: `getReader` of the web, `pipe` of Node; `undefined` when it is none. */
export const streamOf = (body: unknown): string | undefined =>
  ['getReader', 'pipe'].find((name) => typeof read(body, name) === 'function')
