import type { FastifyRequest } from 'fastify'
import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import type { AuthenticationRequest, TokenPayload } from '../../../types/authentication.js'
import type { Params } from '../../../types/service.js'
import { attempt, NotAuthenticated, readProperty, Unavailable } from '../../core/errors.js'
import { checkOptions, inspect, kinds, type OptionTable } from '../../core/options.js'
import { isShortText } from '../password.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../strategy.js'
import { type Algorithm, hasValidClaims, keyPairAlgorithms } from '../token.js'
import { createKeyFetch } from './issuer-keys.js'
import { bearer } from './jwt.js'

type MappedUser = object | null | undefined

/** Options of `JwksStrategy`. */
export interface JwksOptions {
  /** The claim `iss` of the tokens, exactly as the issuer writes it, with its slash at the end. */
  issuer: string
  /**
   * The claim `aud` of the tokens, which names your API. One of a list is enough. `null`: it is not
   * checked, so tokens that the issuer gives other applications are good here, too.
   */
  audience: string | readonly string[] | null
  /** The address of the public keys. Default: `/.well-known/jwks.json` below the issuer. */
  jwksUri?: string
  /** Default: all with key pairs. */
  algorithms?: readonly (Exclude<Algorithm, `HS${string}`> | 'Ed25519')[]
  /**
   * Whose token it is. `{ authId: 'sub' }` finds the user whose field `authId` is equal to the claim
   * `sub`. A function makes the user of the claims, or finds them; `undefined` refuses the token.
   * Default: the user whose id is the claim `sub`.
   */
  map?: Readonly<Record<string, string>> | ((claims: TokenPayload, params: Params) => MappedUser | Promise<MappedUser>)
}

const [, isFilled] = kinds.filled
const areFilled = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isFilled)
const algorithmNames: readonly string[] = [...keyPairAlgorithms, 'Ed25519']
const isMap = (value: unknown) => typeof value === 'function' || areFilled(Object.values(Object(value)))

const jwksOptions: OptionTable<JwksOptions> = {
  issuer: kinds.filled,
  audience: ['a non-empty string, a list, or null', (value) => value === null || isFilled(value) || areFilled(value)],
  jwksUri: ['the address of a key set', (value) => /^https?:/.test(String(attempt(() => new URL(String(value)))))],
  algorithms: [
    `a list of ${algorithmNames.join(', ')}`,
    (value) => areFilled(value) && value.every((name) => algorithmNames.includes(name))
  ],
  map: ["an object such as { authId: 'sub' }, or a function", isMap]
}

const bearerPattern = /^Bearer +(\S+) *$/i

/**
 * Accepts callers by access tokens of another issuer, such as Auth0 or Keycloak, and verifies them
 * by its public keys (docs/authentication.md#tokens-of-an-external-issuer). It needs the optional
 * peer `jose`.
 *
 * @throws when an option is missing or wrong; when the server starts, if `jose` is not installed or
 * the service of the users lacks a method
 * @example
 * const jwks = new JwksStrategy({
 *   issuer: 'https://acme.eu.auth0.com/',
 *   audience: 'https://api.acme.example',
 *   map: ({ sub }) => ({ id: sub })
 * })
 * await app.register(authentication, { strategies: { jwks }, guard: 'jwks' })
 */
export class JwksStrategy implements Strategy {
  readonly logsIn = false
  readonly #options: JwksOptions
  readonly #jwksUri: URL
  #users!: Authenticator['entities']
  #verify!: (accessToken: string) => Promise<TokenPayload>

  constructor(options: JwksOptions) {
    checkOptions('JwksStrategy', jwksOptions, options)
    const { issuer, audience, jwksUri = `${issuer?.replace(/\/$/, '')}/.well-known/jwks.json` } = options
    if (issuer === undefined || audience === undefined)
      throw new Error(
        "JwksStrategy needs `issuer` and `audience`, as in { issuer: 'https://acme.eu.auth0.com/', audience: 'https://api.acme.example' }"
      )
    const url = attempt(() => new URL(jwksUri))
    if (url === undefined)
      throw new Error(`JwksStrategy needs the option \`jwksUri\`: the issuer ${inspect(issuer)} is no address`)
    this.#jwksUri = url
    this.#options = options
  }

  async setup({ entities }: Authenticator, name: string): Promise<void> {
    const { map } = this.#options
    if (map !== undefined && entities.name === null)
      throw new Error(`The strategy '${name}' has no users to map to, because \`entity\` is null: take \`map\` away`)
    if (entities.name !== null && typeof map !== 'function') entities.require(map === undefined ? 'get' : 'find', name)
    this.#users = entities
    this.#verify = await this.#createVerifier()
  }

  /** Finds tokens of this issuer. Those of others are left to other strategies. */
  parse({ headers, log }: FastifyRequest): AuthenticationRequest | null {
    const [, accessToken] = bearerPattern.exec(headers.authorization ?? '') ?? []
    if (accessToken === undefined) return null
    const { issuer } = this.#options
    const { iss } = Object(attempt(() => JSON.parse(String(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url')))))
    if (iss === issuer) return { accessToken }
    log.debug({ iss, issuer }, 'The access token is of another issuer')
    return null
  }

  async authenticate({ accessToken }: AuthenticationRequest, params: Params): Promise<StrategyResult> {
    if (typeof accessToken !== 'string') throw new NotAuthenticated('Invalid access token')
    const payload = await this.#verify(accessToken)
    const result = { authentication: { accessToken, payload } }
    if (this.#users.name === null) return result
    const user = await this.#userOf(payload, params)
    if (!user) throw new NotAuthenticated('Invalid access token: it belongs to no user')
    return { ...result, [this.#users.name]: user }
  }

  describe(): StrategyDescription {
    return { security: bearer }
  }

  async #createVerifier(): Promise<(accessToken: string) => Promise<TokenPayload>> {
    const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose').catch((cause) => {
      throw new Error('JwksStrategy needs the package jose: npm i jose', { cause })
    })
    const keys: JWTVerifyGetKey = createRemoteJWKSet(this.#jwksUri, { [customFetch]: createKeyFetch() })
    const { issuer, audience, algorithms = algorithmNames } = this.#options
    const settings: JWTVerifyOptions = {
      issuer,
      ...(audience !== null && { audience: [audience].flat() }),
      algorithms: [...algorithms],
      requiredClaims: ['exp', 'sub'],
      // In seconds. A token is sent as soon as it is made, and clocks differ.
      clockTolerance: 5
    }
    return async (accessToken) => {
      try {
        const { payload } = await jwtVerify<TokenPayload>(accessToken, keys, settings)
        if (hasValidClaims(payload)) return payload
      } catch (cause) {
        if (cause instanceof Unavailable) throw cause
        throw new NotAuthenticated(`Invalid access token${claimProblemOf(cause)}`, undefined, { cause })
      }
      throw new NotAuthenticated('Invalid access token')
    }
  }

  #userOf(claims: TokenPayload, params: Params): MappedUser | Promise<MappedUser> {
    const { map } = this.#options
    if (map === undefined) return this.#users.get(claims.sub, params)
    return typeof map === 'function' ? map(claims, params) : this.#find(map, claims, params)
  }

  async #find(map: Readonly<Record<string, string>>, claims: TokenPayload, params: Params) {
    const fields = Object.entries(map).map(([field, claim]) => [field, claims[claim]] as const)
    if (!fields.every(([, value]) => isShortText(value))) return undefined
    const user = await this.#users.find({ ...Object.fromEntries(fields), $limit: 1 }, params)
    // A service that ignores the query would accept any token, and databases may ignore case.
    return fields.every(([field, value]) => user?.[field] === value) ? user : undefined
  }
}

/** Says why `jose` refuses the claims of a token that the issuer has signed. */
function claimProblemOf(error: unknown): string {
  const code = readProperty(error, 'code')
  if (code === 'ERR_JWT_EXPIRED') return ': it has expired'
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return `: its claim '${readProperty(error, 'claim')}' is missing or wrong`
  return ''
}
