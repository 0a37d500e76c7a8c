import { randomUUID } from 'node:crypto'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import { parse } from '@lukeed/ms'
import type { FastifyInstance } from 'fastify'
import type { TokenPayload } from '../../types/authentication.js'
import { NotAuthenticated, readProperty } from '../core/errors.js'
import { inspect, inspectText } from '../core/options.js'
import { isShortText } from './password.js'
import { type Algorithm, type Secret, toSecrets } from './secret.js'

/** Options of the access tokens. */
export interface TokenOptions {
  /**
   * How long a token is valid, in seconds or as `'15m'`, `'1d'`. Default: a day; 15 minutes where
   * refresh tokens are on.
   */
  expiresIn?: string | number
  /** The claim `iss`. Default `'fastify-services'`. */
  issuer?: string
  /** The claim `aud`. Default: the path of the authentication service. */
  audience?: string
  /**
   * Default `'HS256'`. The algorithms that begin with RS, PS, ES or Ed take a key pair as the
   * secret.
   */
  algorithm?: Algorithm
  /**
   * What else the header of a token says, as `jwtOptions` of Feathers has it: `{ typ: 'access' }`.
   * Default: nothing.
   */
  header?: Readonly<Record<string, unknown>>
}

/** Signs and verifies access tokens. */
export interface Tokens {
  /** How long a token is valid, in seconds. */
  readonly lifetime: number
  /** @throws when the claims make the token too long */
  sign(claims: Record<string, unknown> & { sub: string }): { accessToken: string; payload: TokenPayload }
  /**
   * @throws {NotAuthenticated} when the token is malformed, was signed by somebody else, has
   * expired or has unusable claims
   */
  verify(accessToken: unknown): TokenPayload
}

// The last letter of the signature has bits that decoders ignore, and some ignore what is no
// letter. Only one spelling of a token is accepted, so that it can't be varied: of the other parts
// the text itself is signed.
const signature = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/
const isCanonical = (token: string) => signature.test(token.slice(token.lastIndexOf('.') + 1))

// In characters. No longer token is signed here, so a longer one is refused unread.
const maxTokenLength = 8192

const timeClaims = ['exp', 'iat', 'nbf', 'auth_time']
const textClaims = ['sub', 'jti', 'sid']

/**
 * Whether the claims have their types: times that a date can hold, ids that are text. A valid
 * signature does not guarantee that, and stores and the rules of the application rely on it.
 */
function hasValidClaims(payload: TokenPayload): boolean {
  for (const name of timeClaims) {
    const value = payload[name]
    if (value === undefined ? name === 'exp' : typeof value !== 'number' || !(Math.abs(value) <= endOfTime - 1))
      return false
  }
  for (const name of textClaims) {
    const value = payload[name]
    if (value === undefined ? name === 'sub' : !isShortText(value)) return false
  }
  return true
}

/**
 * Makes what signs and verifies tokens. It registers @fastify/jwt in an instance of its own, so
 * that the application can use that plugin too.
 *
 * @throws when an option can't be used
 */
export async function createTokens(
  app: FastifyInstance,
  secret: Secret | readonly Secret[] | undefined,
  options: Required<Omit<TokenOptions, 'header'>> & Pick<TokenOptions, 'header'>
): Promise<Tokens> {
  const { issuer: iss, audience: aud, algorithm, header = {} } = options
  const secrets = toSecrets(secret, algorithm)
  const lifetime = toSeconds(options.expiresIn, 'jwt.expiresIn')
  // The library would skip the check of a claim for which nothing is expected.
  for (const [name, value] of Object.entries({ issuer: iss, audience: aud }))
    if (typeof value !== 'string' || value === '')
      throw new Error(`The option \`jwt.${name}\` of authentication must be a non-empty string, got ${inspect(value)}`)
  const reserved = ['alg', 'kid', 'crit', 'b64'].find((name) => Object.hasOwn(header, name))
  if (reserved !== undefined)
    throw new Error(
      `The option \`jwt.header\` of authentication can't have '${reserved}': the option \`jwt.algorithm\` names the algorithm, and the secrets are tried in order`
    )
  const keys: Record<string, JWT> = Object.create(null)
  await app.register(async (child) => {
    // Shadows `app.jwt` of the application, which would otherwise get our namespaces.
    Object.defineProperty(child, 'jwt', { value: keys })
    for (const [index, secretEntry] of secrets.entries()) {
      await child.register(fastifyJwt, {
        namespace: `fastify-services-${index}`,
        secret: secretEntry,
        sign: { algorithm, iss, aud, expiresIn: lifetime, header: { ...header, alg: algorithm } },
        verify: {
          algorithms: [algorithm],
          allowedIss: iss,
          allowedAud: aud,
          requiredClaims: ['iss', 'aud', 'exp', 'sub']
        }
      })
    }
  })
  const verifiers = Object.values(keys)
  const [signer] = verifiers as [JWT]
  // A token of now could expire meanwhile, where `expiresIn` is a second.
  const iat = Math.floor(Date.now() / 1000) + 60
  try {
    signer.verify(signer.sign({ sub: 'test', iat }))
  } catch (cause) {
    throw new Error(`The option \`secret\` of authentication does not work with ${algorithm}: are the keys a pair?`, {
      cause
    })
  }

  return {
    lifetime,
    sign(claims) {
      const accessToken = signer.sign({ jti: randomUUID(), ...claims })
      if (accessToken.length > maxTokenLength)
        throw new Error(`The access token is too long: it has over ${maxTokenLength} characters. Give it fewer claims`)
      return { accessToken, payload: signer.decode<TokenPayload>(accessToken) as TokenPayload }
    },
    verify(accessToken) {
      const causes: unknown[] = []
      if (typeof accessToken === 'string' && accessToken.length <= maxTokenLength && isCanonical(accessToken))
        for (const key of verifiers) {
          try {
            const payload = key.verify<TokenPayload>(accessToken)
            if (hasValidClaims(payload)) return payload
          } catch (error) {
            causes.push(error)
          }
        }
      const hasExpired = causes.some((cause) => readProperty(cause, 'code') === 'FAST_JWT_EXPIRED')
      const message = hasExpired ? 'Invalid access token: it has expired' : 'Invalid access token'
      throw new NotAuthenticated(message, undefined, { cause: causes.at(-1) })
    }
  }
}

/** In seconds: a date can hold no time from here on. */
export const endOfTime = 8.64e12

// Counted from now, it must still end at a time that a date can hold.
const max = endOfTime / 2

/**
 * A span of time in seconds: `'15m'` → 900, `60` → 60.
 * @throws when the value is not a span of at least a second
 */
export function toSeconds(value: string | number, option: string): number {
  const seconds = typeof value === 'string' ? Number(parse(value)) / 1000 : value
  if (typeof seconds === 'number' && seconds >= 1 && seconds <= max) return Math.floor(seconds)
  throw new Error(
    `The option \`${option}\` of authentication must be a number of seconds, or a string such as '15m' or '1d', got ${inspectText(value)}`
  )
}
