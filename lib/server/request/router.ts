import type { FastifyInstance } from 'fastify'

/** How the router of an application reads URLs. */
export interface Router {
  readonly options: {
    readonly allowUnsafeRegex: boolean
    readonly caseSensitive: boolean
    readonly ignoreDuplicateSlashes: boolean
    readonly ignoreTrailingSlash: boolean
    readonly maxParamLength: number
    readonly useSemicolonDelimiter: boolean
  }
  /** Where the path of a URL ends. */
  pathEnd(url: string): number
  /** The path of a URL. */
  path(url: string): string
  /** The text of a URL's query. */
  query(url: string): string
}

export function routerOf({ initialConfig }: FastifyInstance): Router {
  // The options of the router may stand in two places.
  const places: Partial<Router['options']>[] = [initialConfig, Object(initialConfig.routerOptions)]
  const isSet = (name: keyof Router['options']) => places.some((place) => place[name])
  const useSemicolonDelimiter = isSet('useSemicolonDelimiter')
  const delimiter = useSemicolonDelimiter ? /[?#;]/ : /[?#]/
  const pathEnd = (url: string) => {
    const end = url.search(delimiter)
    return end === -1 ? url.length : end
  }
  return {
    options: {
      allowUnsafeRegex: isSet('allowUnsafeRegex'),
      caseSensitive: places.every((place) => place.caseSensitive !== false),
      ignoreDuplicateSlashes: isSet('ignoreDuplicateSlashes'),
      ignoreTrailingSlash: isSet('ignoreTrailingSlash'),
      maxParamLength: Math.max(...places.map((place) => place.maxParamLength ?? 0)),
      useSemicolonDelimiter
    },
    pathEnd,
    path: (url) => url.slice(0, pathEnd(url)).replace(/^https?:\/\/[^/]*/, ''),
    query: (url) => url.slice(pathEnd(url) + 1)
  }
}
