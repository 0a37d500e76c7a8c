import type { FastifyRequest } from 'fastify'
import type { TokenPayload } from '../../types/authentication.js'
import type { ServiceOptions } from '../../types/fastify.js'
import { readProperty } from '../core/errors.js'
import { isPlain } from '../core/objects.js'
import { checkOptions, checkOptionsObject, inspect, kinds, type OptionKind, type OptionTable } from '../core/options.js'
import { type Store, storeKind } from '../core/store.js'
import type { CookieOptions } from './cookie.js'
import type { PasswordOptions } from './password.js'
import { type RateLimitOptions, rateLimitOptions } from './rate-limit.js'
import type { AuthenticationService } from './service.js'
import { type JwtOptions, JwtStrategy } from './strategies/jwt.js'
import { type LocalOptions, LocalStrategy } from './strategies/local.js'
import type { Strategy } from './strategy.js'
import type { Secret, TokenOptions } from './token.js'
import type { UserOptions } from './users.js'

/**
 * The strategies by name. `true` enables `jwt` or `local` with its defaults, `false` disables it.
 */
export interface Strategies {
  jwt?: boolean | JwtOptions | Strategy
  local?: boolean | LocalOptions | Strategy
  [name: string]: boolean | JwtOptions | LocalOptions | Strategy | undefined
}

/** Options of the plugin (docs/authentication.md#options). */
export interface AuthenticationOptions extends UserOptions, ServiceRegistrationOptions {
  /**
   * The key that signs tokens: at least 32 random bytes, or a key pair. The first of a list signs,
   * all verify. Not needed if all strategies read requests by themselves and none takes tokens.
   * There is no login service then.
   */
  secret?: Secret | readonly Secret[] | undefined
  /** The path of the service. Default `'authentication'`. */
  path?: string
  /** Default `{ jwt: true, local: true }`. */
  strategies?: Strategies
  /** The names of the strategies that may log in. Default: all that can. */
  authStrategies?: readonly string[]
  /**
   * The names of the strategies that read credentials from a request, in order. Default: all that
   * can.
   */
  parseStrategies?: readonly string[]
  /**
   * Requires a login by one of these strategies for all services of the instance, also for services
   * that are registered later and those of mounted applications. If a method has its own guard,
   * only that guard applies. Default: services are guarded by their hooks.
   */
  guard?: string | readonly string[]
  /**
   * Services and methods that need no login despite `guard`: `['countries', 'posts.find']`.
   * Default: none.
   */
  public?: readonly string[]
  jwt?: TokenOptions
  passwords?: PasswordOptions
  /**
   * Is called whenever a token is verified. `true` refuses the token. The request is `undefined`
   * for a call of the server.
   */
  isRevoked?: (payload: TokenPayload, request: FastifyRequest | undefined) => boolean | Promise<boolean>
  /**
   * Whether a logout revokes the token. Default `false`: the token stays valid until it expires.
   */
  revocation?: boolean
  /**
   * Whether a login also returns a refresh token (docs/sessions.md#refresh-tokens). Default
   * `false`.
   */
  refresh?: boolean | RefreshOptions
  /**
   * Whether browsers get their token in a cookie that no script can read, instead of in the result.
   * Default `false`.
   */
  cookie?: boolean | CookieOptions
  /**
   * Limits log-ins by password by `@fastify/rate-limit`, which has to be registered before: 10 a
   * minute for each client and user name, 100 for each client. Default `false`.
   */
  rateLimit?: boolean | RateLimitOptions
  /** The store of revoked tokens and refresh tokens. Default: the memory of the process. */
  store?: Store
}

/** Options of the refresh tokens. */
export interface RefreshOptions {
  /** How long a login can be renewed. Default `'30d'`. */
  readonly expiresIn?: string | number
  /**
   * How long a used refresh token gets the same next token again, for clients that got no answer.
   * `0`: never. At most a minute. Default `'30s'`.
   */
  readonly grace?: string | number
}

type ServiceRegistrationOptions = Pick<
  ServiceOptions<AuthenticationService>,
  'before' | 'after' | 'hooks' | 'config' | 'bodyLimit' | 'handlerTimeout' | 'schema'
>

const isStrategy = (value: unknown): value is Strategy => typeof readProperty(value, 'authenticate') === 'function'

const optionsIn = <O extends object>(value: boolean | O | Strategy | undefined): Partial<O> =>
  typeof value === 'object' && !isStrategy(value) ? value : {}

/**
 * Creates the strategies of the option.
 * @throws when one of them is neither a strategy nor the options of one
 */
export function toStrategies(strategies: Strategies = { jwt: true, local: true }): Map<string, Strategy> {
  const instances = new Map<string, Strategy>()
  for (const [name, value] of Object.entries(strategies)) {
    if (value === undefined || value === false) continue
    const isOptions = ['jwt', 'local'].includes(name) ? isPlain(value) : typeof value === 'object' && value !== null
    if (value !== true && !isOptions && !isStrategy(value))
      throw new Error(
        `The strategy '${name}' of authentication must be true, an object with its options, or a strategy, got ${inspect(value)}`
      )
    if (isStrategy(value)) instances.set(name, value)
    else if (name === 'jwt') instances.set(name, new JwtStrategy(optionsIn(strategies.jwt)))
    else if (name === 'local') instances.set(name, new LocalStrategy(optionsIn(strategies.local)))
    else throw new Error(`The strategy '${name}' of authentication must be an object with a method \`authenticate\``)
  }
  if (instances.size === 0)
    throw new Error('Authentication has no strategies: enable one, as in strategies: { jwt: true, local: true }')
  return instances
}

function inability(option: StrategyOption, strategy: Strategy | undefined): string | undefined {
  if (strategy === undefined) return 'is not among `strategies`'
  if (option === 'parseStrategies' && strategy.parse === undefined)
    return "can't read requests: it has no method `parse`"
  if (option === 'authStrategies' && strategy.logsIn === false) return "can't log in: it only reads requests"
  return undefined
}

type StrategyOption = 'authStrategies' | 'parseStrategies' | 'guard'

/**
 * Returns the names of strategies in an option, or else all that the option can name.
 * @throws when it can't name one of them
 */
export function strategyNamesOf(
  option: StrategyOption,
  names: readonly string[] | undefined,
  strategies: ReadonlyMap<string, Strategy>
): string[] {
  const capable = [...strategies.keys()].filter((name) => inability(option, strategies.get(name)) === undefined)
  for (const name of names ?? []) {
    const why = inability(option, strategies.get(name))
    if (why !== undefined)
      throw new Error(`The strategy '${name}', which the option \`${option}\` of authentication names, ${why}`)
  }
  return [...(names ?? capable)]
}

const { free, flag, flagOrPlain, filled: text, names: list, plain: object } = kinds
const [, isNonEmpty] = text
const isUsernameField = (value: unknown) =>
  isNonEmpty(value) ||
  (isPlain(value) &&
    isNonEmpty(value.name) &&
    ['undefined', 'function'].includes(typeof (value.normalize === 'lowercase' ? undefined : value.normalize)))
const isNonEmptyList = (value: unknown) => Array.isArray(value) && value.length > 0 && list[1](value)

// The options in groups, by the prefix of their names. `free` ones are checked elsewhere.
const authenticationOptions: Record<string, OptionTable<Record<string, unknown>>> = {
  '': {
    ...{ secret: free, service: text, entityId: text, strategies: object, authStrategies: list, parseStrategies: list },
    ...{ jwt: object, passwords: object, revocation: flag, store: storeKind },
    path: kinds.text,
    guard: ['the name of a strategy, or a list of names', (value) => isNonEmpty(value) || isNonEmptyList(value)],
    public: list,
    entity: ['a non-empty string, or null', (value) => value === null || isNonEmpty(value)],
    isRevoked: kinds.function,
    ...{ refresh: flagOrPlain, cookie: flagOrPlain, rateLimit: flagOrPlain },
    ...{ before: free, after: free, hooks: free, config: free, bodyLimit: free, handlerTimeout: free, schema: free }
  } satisfies Record<keyof AuthenticationOptions, OptionKind>,
  'jwt.': {
    expiresIn: free,
    issuer: free,
    audience: free,
    algorithm: free,
    header: object,
    jwks: flag
  } satisfies Record<keyof TokenOptions, OptionKind>,
  'passwords.': { concurrent: free, waiting: free } satisfies Record<keyof PasswordOptions, OptionKind>,
  'refresh.': { expiresIn: free, grace: free } satisfies Record<keyof RefreshOptions, OptionKind>,
  'cookie.': {
    ...{ name: text, secure: flag, domain: text, origins: list },
    sameSite: ["'strict', 'lax' or 'none'", (value) => ['strict', 'lax', 'none'].includes(String(value))]
  } satisfies Record<keyof CookieOptions, OptionKind>,
  'rateLimit.': rateLimitOptions,
  'strategies.jwt.': { header: text, schemes: list } satisfies Record<keyof JwtOptions, OptionKind>,
  'strategies.local.': {
    usernameField: ['a non-empty string, or { name, normalize }', isUsernameField],
    ...{ passwordField: text, entityUsernameField: text, entityPasswordField: text },
    ...{ bcrypt: free, hash: flag, rehash: flag }
  } satisfies Record<keyof LocalOptions, OptionKind>
}

/**
 * Checks the names and the types of the options. A misspelt option would be ignored in silence.
 * @throws when one is wrong
 */
export function checkAuthenticationOptions(options: AuthenticationOptions): void {
  checkOptionsObject('authentication', options)
  const { jwt, passwords, refresh, cookie, rateLimit, strategies, entity } = options
  const groups: Record<string, unknown> = {
    '': options,
    'jwt.': jwt,
    'passwords.': passwords,
    'refresh.': refresh,
    'cookie.': cookie,
    'rateLimit.': rateLimit,
    'strategies.jwt.': strategies?.jwt,
    'strategies.local.': strategies?.local
  }
  const [, isOptionsObject] = kinds.object
  for (const [prefix, table] of Object.entries(authenticationOptions)) {
    const group = groups[prefix]
    if (isOptionsObject(group) && !isStrategy(group)) checkOptions('authentication', table, group as object, prefix)
  }
  if (typeof entity === 'string' && reservedNames.has(entity))
    throw new Error(
      `The option \`entity\` of authentication can't be '${entity}': requests, params or results have that already`
    )
}

// Results of logins, params, or requests of Fastify have these properties.
// biome-ignore format: a list
const reservedNames = new Set([
  'authentication', 'authenticated', 'provider', 'query', 'headers', 'route', 'accessToken', 'refreshToken', 'feathers',
  'id', 'params', 'body', 'raw', 'server', 'log', 'ip', 'ips', 'host', 'hostname', 'port', 'protocol', 'url', 'method',
  'originalUrl', 'socket', 'signal', 'is404', 'routeOptions', '__proto__', 'constructor'
])
