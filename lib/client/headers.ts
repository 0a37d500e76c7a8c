import type { HeadersLike } from '../../types/client.js'

/** Headers of a request: each name once. */
export type Headers = Record<string, string>

const isIterable = (source: object): source is Iterable<readonly [string, string]> => Symbol.iterator in source

/** Merges headers: later ones win, whatever the case of their names. */
export function mergeHeaders(...sources: (HeadersLike | undefined)[]): Headers {
  const names = new Map<string, string>()
  const merged: Headers = {}
  for (const source of sources) {
    for (const [name, value] of isIterable(source ?? {})
      ? (source as Iterable<[string, string]>)
      : Object.entries(source ?? {})) {
      if (value === undefined) continue
      const key = name.toLowerCase()
      delete merged[names.get(key) ?? name]
      names.set(key, name)
      merged[name] = String(value)
    }
  }
  return merged
}

/** Whether headers hold one of a name, in any case. */
export const hasHeader = (headers: Headers, name: string) =>
  Object.keys(headers).some((key) => key.toLowerCase() === name.toLowerCase())
