import type { HeadersLike } from '../../types/client.js'

/** The headers of a request. Each name is there once. */
export type RequestHeaders = Record<string, string>

/** Merges headers. Later ones win; names are compared without regard to case. */
export function mergeHeaders(...sources: (HeadersLike | undefined)[]): RequestHeaders {
  const merged: RequestHeaders = {}
  for (const source of sources)
    for (const [name, value] of source && Symbol.iterator in source ? source : Object.entries(source ?? {})) {
      if (value === undefined || value === null) continue
      delete merged[nameIn(merged, name) ?? name]
      merged[name] = String(value)
    }
  return merged
}

/** Finds a header, in any case, and returns its name as it is written. */
export const nameIn = (headers: RequestHeaders, name: string) =>
  Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase())
