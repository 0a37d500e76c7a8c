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
  /** Returns the index at which the path of a URL ends. */
  pathEnd(url: string): number
  /** Returns the path of a URL. */
  path(url: string): string
  /** Returns the query string of a URL. */
  query(url: string): string
}

export function routerOf({ initialConfig }: FastifyInstance): Router {
  // Router options may be at the top level, or in `routerOptions`.
  const sources: Partial<Router['options']>[] = [initialConfig, Object(initialConfig.routerOptions)]
  const isSet = (name: keyof Router['options']) => sources.some((source) => source[name])
  const useSemicolonDelimiter = isSet('useSemicolonDelimiter')
  const delimiters = useSemicolonDelimiter ? ['?', '#', ';'] : ['?', '#']
  // A regular expression takes twice as long.
  const pathEnd = (url: string) => {
    let end = url.length
    for (const delimiter of delimiters) {
      const index = url.indexOf(delimiter)
      if (index !== -1 && index < end) end = index
    }
    return end
  }
  return {
    options: {
      allowUnsafeRegex: isSet('allowUnsafeRegex'),
      caseSensitive: sources.every((source) => source.caseSensitive !== false),
      ignoreDuplicateSlashes: isSet('ignoreDuplicateSlashes'),
      ignoreTrailingSlash: isSet('ignoreTrailingSlash'),
      maxParamLength: Math.max(...sources.map((source) => source.maxParamLength ?? 0)),
      useSemicolonDelimiter
    },
    pathEnd,
    path: (url) => url.slice(0, pathEnd(url)).replace(/^https?:\/\/[^/]*/, ''),
    query: (url) => url.slice(pathEnd(url) + 1)
  }
}
