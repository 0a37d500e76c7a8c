import type { SecurityScheme } from '../core/hooks.js'
import type { MethodDocumentation } from '../core/service-meta.js'
import { bearer } from './strategies/jwt.js'
import type { Credentials } from './verifier.js'

/**
 * How requests prove who calls by one of these strategies: the schemes of OpenAPI, and the names
 * that they have there.
 */
export function schemesOf({ strategies: of }: Credentials, names: readonly string[]): Record<string, SecurityScheme> {
  const schemes = of.parseStrategies.flatMap((name) => {
    const scheme = names.includes(name) ? of.strategies.get(name)?.describe?.().security : undefined
    return scheme === undefined ? [] : [[scheme.scheme === 'bearer' ? 'Bearer' : name, scheme] as const]
  })
  const { cookie } = of
  if (cookie?.strategies.some((name) => names.includes(name)))
    schemes.push(['Cookie', { type: 'apiKey', in: 'cookie', name: cookie.name }])
  return schemes.length === 0 ? { Bearer: bearer } : Object.fromEntries(schemes)
}

/** What OpenAPI documents say of a log-in and a log-out. */
export function documentLogin(
  credentials: Credentials,
  authStrategies: readonly string[],
  users: readonly string[]
): Record<string, MethodDocumentation> {
  const { strategies, cookie } = credentials.strategies
  const { name: entity } = credentials.authenticator.entities
  const text = { type: 'string' }
  const logins = authStrategies.map((name) => {
    const properties = { strategy: { type: 'string', const: name }, ...strategies.get(name)?.describe?.().login }
    // The cookie may hold the token.
    const required = Object.keys(properties).filter((field) => cookie === undefined || field !== 'accessToken')
    return { type: 'object', required, properties }
  })
  const payload = { type: 'object', description: 'The claims of the token.' }
  const properties = {
    accessToken: {
      ...text,
      description: `Later requests send it as \`Authorization: Bearer …\`.${cookie === undefined ? '' : ` Pages get it in the cookie \`${cookie.name}\` alone.`}`
    },
    ...(authStrategies.includes('refresh') && {
      refreshToken: { ...text, description: 'It is good for one log-in by the strategy `refresh`.' }
    }),
    authentication: {
      type: 'object',
      required: ['strategy'],
      properties: { strategy: text, accessToken: text, payload }
    },
    ...(entity !== null && { [entity]: { $ref: `service:${users.join(',')}` } })
  }
  const result = {
    type: 'object',
    required: [...(cookie === undefined ? ['accessToken'] : []), 'authentication'],
    properties
  }
  const failed = { 401: { $ref: 'error' } }
  return {
    create: {
      summary: 'Log in',
      description: 'Gives an access token, which later requests send to prove who calls.',
      body: logins.length === 1 ? logins[0] : { oneOf: logins },
      response: { 201: result, ...failed }
    },
    remove: {
      summary: 'Log out',
      description: 'Ends the log-in that the token of the request belongs to.',
      response: { 200: result, ...failed },
      hasId: false,
      callers: Object.entries(schemesOf(credentials, [...strategies.keys()])).map(([name, scheme]) => ({
        [name]: scheme
      }))
    }
  }
}
