import { isPlain } from '../core/objects.js'
import { checkOptions, checkOptionsObject, kinds, type OptionKind, type OptionTable } from '../core/options.js'
import { storeKind } from '../core/store.js'
import type { CookieOptions } from './cookie.js'
import { type AuthenticationOptions, isStrategy, type RefreshOptions } from './options.js'
import type { PasswordOptions } from './password.js'
import type { JwtOptions } from './strategies/jwt.js'
import type { LocalOptions } from './strategies/local.js'
import type { TokenOptions } from './token.js'

const { free, flag, filled: text, names: list, plain: object } = kinds
const isNonEmpty = text[1]
const isUsernameField = (value: unknown) =>
  isNonEmpty(value) ||
  (isPlain(value) &&
    isNonEmpty(value.name) &&
    ['undefined', 'function'].includes(typeof (value.normalize === 'lowercase' ? undefined : value.normalize)))
const isFilledList = (value: unknown) => Array.isArray(value) && value.length > 0 && list[1](value)
const flagOrOptions: OptionKind = [
  'true, false or a plain object',
  (value) => typeof value === 'boolean' || isPlain(value)
]

// Each option, and what it must be. Options that are checked elsewhere may be anything here.
const optionTables: Record<string, OptionTable<Record<string, unknown>>> = {
  '': {
    ...{ secret: free, service: text, entityId: text, strategies: object, authStrategies: list, parseStrategies: list },
    ...{ jwt: object, passwords: object, revocation: flag, store: storeKind },
    path: kinds.text,
    guard: ['the name of a strategy, or a list of names', (value) => isNonEmpty(value) || isFilledList(value)],
    public: list,
    entity: ['a non-empty string, or null', (value) => value === null || isNonEmpty(value)],
    isRevoked: kinds.function,
    ...{ refresh: flagOrOptions, cookie: flagOrOptions },
    ...{ before: free, after: free, hooks: free, config: free, bodyLimit: free, handlerTimeout: free, schema: free }
  } satisfies Record<keyof AuthenticationOptions, OptionKind>,
  'jwt.': { expiresIn: free, issuer: free, audience: free, algorithm: free, header: object } satisfies Record<
    keyof TokenOptions,
    OptionKind
  >,
  'passwords.': { concurrent: free, waiting: free } satisfies Record<keyof PasswordOptions, OptionKind>,
  'refresh.': { expiresIn: free, grace: free } satisfies Record<keyof RefreshOptions, OptionKind>,
  'cookie.': {
    ...{ name: text, secure: flag, domain: text, origins: list },
    sameSite: ["'strict', 'lax' or 'none'", (value) => ['strict', 'lax', 'none'].includes(String(value))]
  } satisfies Record<keyof CookieOptions, OptionKind>,
  'strategies.jwt.': { header: text, schemes: list } satisfies Record<keyof JwtOptions, OptionKind>,
  'strategies.local.': {
    usernameField: ['a non-empty string, or { name, normalize }', isUsernameField],
    ...{ passwordField: text, entityUsernameField: text, entityPasswordField: text },
    ...{ bcrypt: free, hash: flag, rehash: flag }
  } satisfies Record<keyof LocalOptions, OptionKind>
}

/**
 * Checks the names and the types of the options. Those that are misspelt, or of another library,
 * would be ignored in silence.
 * @throws when one is wrong
 */
export function checkAuthenticationOptions(options: AuthenticationOptions): void {
  checkOptionsObject('authentication', options)
  const { jwt, passwords, refresh, cookie, strategies, entity } = options
  const groups: Record<string, unknown> = {
    '': options,
    'jwt.': jwt,
    'passwords.': passwords,
    'refresh.': refresh,
    'cookie.': cookie,
    'strategies.jwt.': strategies?.jwt,
    'strategies.local.': strategies?.local
  }
  for (const [place, table] of Object.entries(optionTables))
    if (kinds.object[1](groups[place]) && !isStrategy(groups[place]))
      checkOptions('authentication', table, groups[place] as object, place)
  if (typeof entity === 'string' && reservedNames.has(entity))
    throw new Error(
      `The option \`entity\` of authentication can't be '${entity}': requests, params or results have that already`
    )
}

// The result of a login, params, or requests of Fastify have these properties.
// biome-ignore format: a list
const reservedNames = new Set([
  'authentication', 'authenticated', 'provider', 'query', 'headers', 'route', 'accessToken', 'refreshToken', 'feathers',
  'id', 'params', 'body', 'raw', 'server', 'log', 'ip', 'ips', 'host', 'hostname', 'port', 'protocol', 'url', 'method',
  'originalUrl', 'socket', 'signal', 'is404', 'routeOptions', '__proto__', 'constructor'
])
