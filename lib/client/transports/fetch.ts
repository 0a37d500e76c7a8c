import type { Library } from '../library.js'
import { bodyKindOf, type ClientResponse } from '../message.js'

/** The part of `fetch` that the adapter uses. */
export type Fetch = (url: string, init: FetchOptions) => Promise<FetchResponse>

interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/**
 * The part of a response that the client reads. Old React Native has no `arrayBuffer`, and mocks
 * may have no more than `json`.
 */
export interface FetchResponse {
  readonly status: number
  readonly headers: ClientResponse['headers']
  text(): Promise<string>
  json?(): Promise<unknown>
  /** For bodies that are neither JSON nor text. */
  blob?(): Promise<Blob>
}

export const fetchLibrary: Library<'fetch', Fetch> = {
  name: 'fetch',
  streams: ['pipe', 'getReader'],
  async send(fetch, { url, method, headers, body, options, signal }) {
    // `duplex` is required for a stream, and makes no difference for anything else.
    const init = { ...options, method, headers, body: body as string, duplex: 'half', signal: signal as AbortSignal }
    return readResponse(await fetch(url, init))
  }
}

/** Reads a response to its end. A mock without headers, or with `json` alone, answers with JSON. */
export async function readResponse(response: FetchResponse): Promise<ClientResponse> {
  const { text, status, headers } = response as Omit<FetchResponse, 'text'> & Partial<FetchResponse>
  const head = { status, headers: text && headers }
  const body = text
    ? await (response as Required<FetchResponse>)[bodyKindOf(head) === 'blob' ? 'blob' : 'text']()
    : (JSON.stringify(await response.json?.()) ?? '')
  return { ...head, body }
}
