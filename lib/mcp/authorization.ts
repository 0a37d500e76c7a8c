import type { FastifyInstance } from 'fastify'
import { challengeOf } from '../core/challenge.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { rootOf } from '../core/plugin-state.js'

/** Where the users of agents log in. */
export interface McpAuthorization {
  /**
   * The URL of the endpoint, as agents know it: `'https://api.example.com/mcp'`. Tokens should be
   * for this audience.
   */
  resource: string
  /** The issuers of tokens: `['https://login.example.com']`. */
  servers: readonly string[]
  /** The scopes of OAuth that an agent should ask for. Default: none. */
  scopes?: readonly string[]
}

const authorizationOptions: OptionTable<McpAuthorization> = {
  resource: ['a URL', (value) => URL.canParse(String(value))],
  servers: [
    'a list of URLs',
    (value) => kinds.names[1](value) && (value as string[]).every((one) => URL.canParse(one))
  ],
  scopes: kinds.names
}

/** @throws {Error} if an option is missing, unknown or invalid */
export function checkAuthorization(options: McpAuthorization): void {
  checkOptions('mcp', authorizationOptions, options, 'authorization.')
  if (options.resource === undefined || !options.servers?.length)
    throw new Error('The option `authorization` of mcp needs `resource`, a URL, and `servers`, a list of URLs')
}

/**
 * Serves the document by which agents find out where to log in (RFC 9728).
 *
 * @returns its URL
 */
export function serveMetadata(app: FastifyInstance, { resource, servers, scopes }: McpAuthorization): string {
  const { origin, pathname } = new URL(resource)
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
  const metadata = {
    resource,
    authorization_servers: servers,
    ...(scopes && { scopes_supported: scopes }),
    bearer_methods_supported: ['header']
  }
  // The path is that of the server, whatever the prefix of the instance is.
  rootOf(app).get(path, { schema: { hide: true } }, async () => metadata)
  return `${origin}${path}`
}

/** Returns the header `WWW-Authenticate` that leads an agent to the login. */
export function loginChallenge(error: unknown, metadata: string, { scopes = [] }: McpAuthorization): string {
  const challenge = challengeOf(error)
  const parameters = [`resource_metadata="${metadata}"`, ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : [])]
  return `${challenge}${challenge.includes('=') ? ',' : ''} ${parameters.join(', ')}`
}
