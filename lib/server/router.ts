import type { FastifyInstance } from 'fastify'

/** How the router of an application reads URLs. Its options stand in two places. */
export interface Router {
  readonly caseSensitive: boolean
  readonly ignoreDuplicateSlashes: boolean
  readonly ignoreTrailingSlash: boolean
  /** The path of a URL. */
  path(url: string): string
  /** The text of a URL's query. */
  query(url: string): string
}

export function routerOf({ initialConfig }: FastifyInstance): Router {
  const { routerOptions, ...config } = initialConfig as Config & { routerOptions?: Config }
  const hasSemicolon = Boolean(config.useSemicolonDelimiter || routerOptions?.useSemicolonDelimiter)
  const delimiter = hasSemicolon ? /[?#;]/ : /[?#]/
  return {
    caseSensitive: config.caseSensitive !== false && routerOptions?.caseSensitive !== false,
    ignoreDuplicateSlashes: Boolean(config.ignoreDuplicateSlashes || routerOptions?.ignoreDuplicateSlashes),
    ignoreTrailingSlash: Boolean(config.ignoreTrailingSlash || routerOptions?.ignoreTrailingSlash),
    path(url) {
      const end = url.search(delimiter)
      return (end === -1 ? url : url.slice(0, end)).replace(/^https?:\/\/[^/]*/i, '')
    },
    query(url) {
      const end = url.search(delimiter)
      return end === -1 ? '' : url.slice(end + 1)
    }
  }
}

type Config = Partial<
  Record<'caseSensitive' | 'ignoreDuplicateSlashes' | 'ignoreTrailingSlash' | 'useSemicolonDelimiter', boolean>
>

/** The outermost instance. A request that finds no route runs its hooks, wherever the plugin was registered. */
export function rootOf(app: FastifyInstance): FastifyInstance {
  let root = app
  while (!Object.hasOwn(root, 'routing')) root = Object.getPrototypeOf(root)
  return root
}
