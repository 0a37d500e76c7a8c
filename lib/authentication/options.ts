import type { FastifyRequest } from 'fastify'
import type { TokenPayload } from '../../types/authentication.js'
import type { ServiceOptions } from '../../types/fastify.js'
import { readProperty } from '../core/errors.js'
import { isPlain } from '../core/objects.js'
import { inspect } from '../core/options.js'
import type { Store } from '../core/store.js'
import type { CookieOptions } from './cookie.js'
import type { EntityOptions } from './entities.js'
import type { PasswordOptions } from './password.js'
import type { Secret } from './secret.js'
import type { AuthenticationService } from './service.js'
import { type JwtOptions, JwtStrategy } from './strategies/jwt.js'
import { type LocalOptions, LocalStrategy } from './strategies/local.js'
import type { Strategy } from './strategy.js'
import type { TokenOptions } from './token.js'

/**
 * The strategies by name. `true` enables `jwt` or `local` with their defaults; `false` leaves one
 * out.
 */
export interface Strategies {
  jwt?: boolean | JwtOptions | Strategy
  local?: boolean | LocalOptions | Strategy
  [name: string]: boolean | JwtOptions | LocalOptions | Strategy | undefined
}

/** Options of the plugin (docs/login-reference.md#options). */
export interface AuthenticationOptions extends EntityOptions, Passed {
  /**
   * What tokens are signed with: at least 32 random bytes, or a key pair. Of a list, the first
   * signs and all verify. It may be left out where each strategy reads requests by itself and none
   * takes tokens: there is no service to log in at then.
   */
  secret?: Secret | readonly Secret[] | undefined
  /** The path of the service. Default `'authentication'`. */
  path?: string
  /** Default `{ jwt: true, local: true }`. */
  strategies?: Strategies
  /** The names of the strategies that may log in. Default: all. */
  authStrategies?: readonly string[]
  /**
   * The names of the strategies that read credentials from a request, in order. Default: all that
   * can.
   */
  parseStrategies?: readonly string[]
  /**
   * The strategies one of which must prove who calls: of every service of the instance, also of
   * those that come later and of mounted applications. A method with a guard of its own has that
   * one alone. Default: services are guarded by their hooks.
   */
  guard?: string | readonly string[]
  /**
   * What anybody may call all the same, by the names of services and methods: `['countries',
   * 'posts.find']`. Default: nothing.
   */
  public?: readonly string[]
  jwt?: TokenOptions
  passwords?: PasswordOptions
  /**
   * Called whenever a token is verified; `true` refuses the token. The request is `undefined` for a
   * call of the server.
   */
  isRevoked?: (payload: TokenPayload, request: FastifyRequest | undefined) => boolean | Promise<boolean>
  /**
   * Whether a logout revokes the token. Default `false`: the token stays valid until it expires.
   */
  revocation?: boolean
  /**
   * Whether a login also gives a refresh token (docs/login-security.md#refresh-tokens). Default
   * `false`.
   */
  refresh?: boolean | RefreshOptions
  /**
   * Whether browsers get their token in a cookie that no script can read, in place of the answer.
   * Default `false`.
   */
  cookie?: boolean | CookieOptions
  /** Where revoked tokens and refresh tokens are kept. Default: in the memory of the process. */
  store?: Store
}

/** Options of the refresh tokens. */
export interface RefreshOptions {
  /** How long a login can be kept alive. Default `'30d'`. */
  readonly expiresIn?: string | number
  /**
   * How long a used refresh token gets the same next one again, for clients that got no answer.
   * `0`: never. At most a minute. Default `'30s'`.
   */
  readonly grace?: string | number
}

/** Passed on to the registration of the service. */
type Passed = Pick<
  ServiceOptions<AuthenticationService>,
  'before' | 'after' | 'hooks' | 'config' | 'bodyLimit' | 'handlerTimeout' | 'schema'
>

/** Whether a value is a strategy, as opposed to the options of one. */
export const isStrategy = (value: unknown): value is Strategy =>
  typeof readProperty(value, 'authenticate') === 'function'

const optionsIn = <O extends object>(value: boolean | O | Strategy | undefined): Partial<O> =>
  typeof value === 'object' && !isStrategy(value) ? value : {}

/**
 * The strategies that the option names, as objects.
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

/**
 * The names that an option lists, or else all the strategies that it can name.
 * @throws when it can't name one of them
 */
export function namesOf(
  option: 'authStrategies' | 'parseStrategies' | 'guard',
  named: readonly string[] | undefined,
  strategies: ReadonlyMap<string, Strategy>
): string[] {
  const can = (name: string) => option !== 'parseStrategies' || strategies.get(name)?.parse !== undefined
  const capable = [...strategies.keys()].filter(can)
  for (const name of named ?? [])
    if (!capable.includes(name)) {
      const why = strategies.has(name) ? "can't read requests: it has no method `parse`" : 'is not among `strategies`'
      throw new Error(`The strategy '${name}', which the option \`${option}\` of authentication names, ${why}`)
    }
  return [...(named ?? capable)]
}
