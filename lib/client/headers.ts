import type { HeadersLike } from '../../types/client.js'

/** The headers of a request. Each name is there once. */
export type RequestHeaders = Record<string, string>

/** Merges headers. Later ones win; names are compared without regard to case. */
export function mergeHeaders(...sources: (HeadersLike | undefined | false)[]): RequestHeaders {
  const merged: RequestHeaders = {}
  for (const source of sources) {
    if (!source) continue
    for (const [name, value] of Symbol.iterator in source ? source : Object.entries(source)) {
      if (value === undefined || value === null) continue
      delete merged[nameIn(merged, name) ?? name]
      merged[name] = String(value)
    }
  }
  return merged
}

/** Finds a header, in any case, and returns its name as it is written. */
export function nameIn(headers: RequestHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return Object.keys(headers).find((key) => key.toLowerCase() === wanted)
}
