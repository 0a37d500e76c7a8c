import type { FastifyRequest } from 'fastify'
import type { TokenPayload } from '../../types/authentication.js'
import type { ServiceOptions } from '../../types/fastify.js'
import type { EntityOptions } from './entities.js'
import type { PasswordOptions } from './password.js'
import type { Secret } from './secret.js'
import type { AuthenticationService } from './service.js'
import type { Store } from './store.js'
import { type JwtOptions, JwtStrategy } from './strategies/jwt.js'
import { type LocalOptions, LocalStrategy } from './strategies/local.js'
import type { Strategy } from './strategy.js'
import type { TokenOptions } from './token.js'

/** The strategies by name. `true` enables one of ours; `false` leaves it out. */
export interface Strategies {
  jwt?: boolean | JwtOptions | Strategy
  local?: boolean | LocalOptions | Strategy
  [name: string]: boolean | JwtOptions | LocalOptions | Strategy | undefined
}

/** Options of the plugin (specification: "Authentication"). */
export interface AuthenticationOptions extends EntityOptions, Passed {
  /** What tokens are signed with: at least 32 random bytes, or a key pair. Of a list the first signs, and all verify. */
  secret: Secret | readonly Secret[] | undefined
  /** The path of the service. Default `'authentication'`. */
  path?: string
  /** Default `{ jwt: true, local: true }`. */
  strategies?: Strategies
  /** The names of the strategies that may log in. Default: all. */
  authStrategies?: readonly string[]
  /** The names of the strategies that read credentials from a request, in order. Default: all that can. */
  parseStrategies?: readonly string[]
  jwt?: TokenOptions
  passwords?: PasswordOptions
  /** Asked whenever a token is verified; `true` refuses it. The request is `undefined` for a call of the server. */
  isRevoked?: (payload: TokenPayload, request: FastifyRequest | undefined) => boolean | Promise<boolean>
  /** Whether a logout revokes the token until it expires. Default `false`: it is good until then. */
  revocation?: boolean
  /** Whether a login gives a refresh token too; `expiresIn` is how long the login can be kept alive, default `'30d'`. Default `false`. */
  refresh?: boolean | { readonly expiresIn?: string | number }
  /** Where revoked tokens and refresh tokens are kept. Default: in the memory of the process. */
  store?: Store
}

/** Passed on to the registration of the service. */
type Passed = Pick<
  ServiceOptions<AuthenticationService>,
  'before' | 'after' | 'hooks' | 'config' | 'bodyLimit' | 'handlerTimeout' | 'schema'
>

/** Whether a value is a strategy, and no options of one. */
export const isStrategy = (value: unknown): value is Strategy =>
  typeof (value as Partial<Strategy> | undefined)?.authenticate === 'function'

/**
 * The strategies that the option names, made ready.
 * @throws when a name stands for nothing
 */
export function toStrategies(strategies: Strategies = { jwt: true, local: true }): Map<string, Strategy> {
  const made = new Map<string, Strategy>()
  for (const [name, value] of Object.entries(strategies)) {
    if (value === undefined || value === false) continue
    const own = value === true ? {} : value
    if (typeof own !== 'object' || own === null)
      throw new Error(`The strategy '${name}' of authentication is true, an object with its options, or a strategy`)
    if (isStrategy(value)) made.set(name, value)
    else if (name === 'jwt') made.set(name, new JwtStrategy(own as JwtOptions))
    else if (name === 'local') made.set(name, new LocalStrategy(own as LocalOptions))
    else
      throw new Error(
        `The strategy '${name}' of authentication is no strategy: give an object with a method \`authenticate\``
      )
  }
  if (made.size === 0)
    throw new Error('Authentication has no strategies: enable one, as in strategies: { jwt: true, local: true }')
  return made
}

/**
 * The names that an option lists, or else those that it stands for by default.
 * @throws when one of them is no strategy
 */
export function namesOf(
  option: 'authStrategies' | 'parseStrategies',
  named: readonly string[] | undefined,
  strategies: ReadonlyMap<string, Strategy>
): string[] {
  const can = (name: string) => option === 'authStrategies' || strategies.get(name)?.parse !== undefined
  const known = [...strategies.keys()].filter(can)
  for (const name of named ?? [])
    if (!known.includes(name)) {
      const why = strategies.has(name) ? 'can not read requests: it has no method `parse`' : 'is not among `strategies`'
      throw new Error(`The strategy '${name}', which the option ${option} of authentication names, ${why}`)
    }
  return [...(named ?? known)]
}
