import type { Transport } from '../message.js'

/** What the adapter needs of `fetch`. */
export type Fetch = (url: string, init: FetchOptions) => Promise<FetchResponse>

interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  arrayBuffer(): Promise<ArrayBuffer>
}

export const fetchTransport: Transport<Fetch> = async (fetch, { url, method, headers, body, options, signal }) => {
  const response = await fetch(url, {
    ...options,
    // What duplex is for a stream, it is for all else anyway.
    ...{ method, headers, body: body as string, signal: signal as AbortSignal, duplex: 'half' }
  })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.arrayBuffer()
  }
}
