import type { HeadersLike } from '../../types/client.js'

/** Headers of a request: each name once. */
export type Headers = Record<string, string>

/** Merges headers: later ones win, whatever the case of their names. */
export function mergeHeaders(...sources: (HeadersLike | undefined)[]): Headers {
  const merged: Headers = {}
  for (const source of sources)
    for (const [name, value] of source && Symbol.iterator in source ? source : Object.entries(source ?? {})) {
      if (value === undefined || value === null) continue
      delete merged[nameIn(merged, name) ?? name]
      merged[name] = String(value)
    }
  return merged
}

/** The name under which headers hold one, in any case. */
export const nameIn = (headers: Headers, name: string) =>
  Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase())
