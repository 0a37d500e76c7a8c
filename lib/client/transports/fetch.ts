import type { Library } from '../library.js'

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

export const fetchLibrary: Library<'fetch', Fetch> = {
  name: 'fetch',
  streams: ['pipe', 'getReader'],
  async send(fetch, { url, method, headers, body, options, signal }) {
    // `duplex` is required for a stream, and makes no difference for anything else.
    const init = { ...options, method, headers, body: body as string, duplex: 'half', signal: signal as AbortSignal }
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, body: await response.arrayBuffer() }
  }
}
