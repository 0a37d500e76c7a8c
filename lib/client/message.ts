import type { HeadersLike } from '../../types/client.js'
import { attempt, errorFromJSON, GeneralError } from '../core/errors.js'

/** The options of a request that only the client reads, under the key `~client`. */
export interface InternalOptions {
  /** Sends the request in place of the library, since no library returns a stream as it comes. */
  send?(request: ClientRequest): Promise<ClientResponse>
  /** The `Held` of a logout, as it was when `logout()` was called: hooks may take long. */
  held?: Promise<unknown>
}

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
  readonly options: Readonly<Record<string, unknown>> & { readonly '~client'?: InternalOptions }
  readonly signal: AbortSignal | undefined
  /**
   * Whether it carries a secret that no redirect may take to another origin, such as the password
   * of a login.
   */
  readonly isSecret?: boolean
}

/** The response, as every HTTP library returns it. */
export interface ClientResponse {
  readonly status: number
  /**
   * The headers: `Headers`, or an object whose names are in lower case. Without any, the body is
   * JSON.
   */
  readonly headers?: { get(name: string): string | null } | Readonly<Record<string, unknown>> | undefined
  /** A text or a Blob where the library decodes the body itself. */
  readonly body: string | Blob | Uint8Array | ArrayBuffer
}

/** Reads a header of a response. A server may send one that is called `get`. */
export const headerOf = ({ headers }: Pick<ClientResponse, 'headers'>, name: string): string | null | undefined =>
  typeof headers?.get === 'function' ? headers.get(name) : (headers as Record<string, string> | undefined)?.[name]

/** The headers of a request. Each name is there once. */
type RequestHeaders = Record<string, string>

/** Merges headers. Later ones win; names are compared without regard to case. */
export function mergeHeaders(...sources: (HeadersLike | undefined | false)[]): RequestHeaders {
  const merged = new Map<string, [string, string]>()
  for (const source of sources) {
    const headers = source || {}
    for (const [name, value] of Symbol.iterator in headers ? headers : Object.entries(headers))
      if (value !== undefined && value !== null) merged.set(name.toLowerCase(), [name, String(value)])
  }
  return Object.fromEntries(merged.values())
}

/** Finds a header, in any case, and returns its name as it is written. */
export function nameIn(headers: RequestHeaders, name: string): string | undefined {
  return Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase())
}

const jsonType = /^application\/([^;]*\+)?json\s*([;,]|$)/i
const textType = /^$|^text\/|[/+]xml\b|javascript|ndjson|urlencoded/i

export function bodyKindOf(response: Pick<ClientResponse, 'headers'>): 'json' | 'text' | 'blob' {
  const type = headerOf(response, 'content-type') ?? ''
  return !response.headers || jsonType.test(type) ? 'json' : textType.test(type) ? 'text' : 'blob'
}

/**
 * Returns the result of a response: parsed JSON, text as a string, anything else as a Blob, and
 * `null` if there is no body.
 * @throws the error that the server has sent, or a GeneralError if its JSON is not valid
 */
export function settle(response: ClientResponse): unknown {
  const { status, body } = response
  const { byteLength, size = byteLength, length = size } = body as Partial<Blob & ArrayBuffer & string>
  const kind = bodyKindOf(response)
  const text = () => (byteLength ? new TextDecoder().decode(body as ArrayBuffer) : (body as string))
  const parse = () => JSON.parse(text())
  if (status > 299 || status < 200) throw errorFromJSON(status, kind === 'json' ? attempt(parse) : undefined)
  if (!length) return null
  if (kind === 'text') return text()
  if (kind === 'blob') return new Blob([body as ArrayBuffer], { type: headerOf(response, 'content-type') as string })
  try {
    return parse()
  } catch (cause) {
    throw new GeneralError('The answer is not JSON', undefined, { cause })
  }
}
