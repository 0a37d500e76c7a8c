import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import { parse } from '@lukeed/ms'
import type { FastifyInstance } from 'fastify'
import type { TokenPayload } from '../../types/authentication.js'
import { NotAuthenticated, readProperty } from '../core/errors.js'
import { inspect, inspectText } from '../core/options.js'
import { isShortText } from './password.js'
import { toPublicKey } from './public-keys.js'

/** A private key in PEM form, with its passphrase if it has one. */
export type PrivateKey = string | Buffer | { readonly key: string | Buffer; readonly passphrase: string }

/** A key pair in PEM form, for RS, PS, ES and EdDSA. One that only verifies has no private key. */
export interface KeyPair {
  readonly public: string | Buffer
  readonly private?: PrivateKey
}

/** The key that signs tokens: at least 32 random bytes for HS256, or a key pair. */
export type Secret = string | Buffer | KeyPair

// biome-ignore format: a table
const algorithms = [
  'HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'
] as const
/** An algorithm that signs tokens. Key pairs use the ones that do not begin with HS. */
export type Algorithm = (typeof algorithms)[number]

export const keyPairAlgorithms: readonly Algorithm[] = algorithms.filter((name) => !name.startsWith('HS'))

/** Options of the access tokens. */
export interface TokenOptions {
  /**
   * How long a token is valid, in seconds or as `'15m'`, `'1d'`. Default: a day; 15 minutes with
   * refresh tokens.
   */
  expiresIn?: string | number
  /** The claim `iss`. Default `'fastify-services'`. */
  issuer?: string
  /** The claim `aud`. Default: the path of the authentication service. */
  audience?: string
  /**
   * Default `'HS256'`. The algorithms that begin with RS, PS, ES or Ed need a key pair as the
   * secret.
   */
  algorithm?: Algorithm
  /**
   * More fields for the header of a token, as in `jwtOptions` of Feathers: `{ typ: 'access' }`.
   * Default: none.
   */
  header?: Readonly<Record<string, unknown>>
  /**
   * Whether `/.well-known/jwks.json` serves the public keys of the option `secret`. Default `false`.
   */
  jwks?: boolean
}

type TokenSettings = Required<Omit<TokenOptions, 'header' | 'jwks'>> & Pick<TokenOptions, 'header'>

// In characters. Longer tokens are not signed here, so they are refused unread.
const maxTokenLength = 8192

export interface LinkClaims {
  readonly user: string
  /** A digest of the fields of the user that the link depends on. */
  readonly state: string
}

// An interface, since declarations write out a type.
export interface Tokens extends Awaited<ReturnType<typeof createTokens>> {}

/**
 * Signs and verifies access tokens, and tokens for links in mails.
 * @throws when an option can't be used
 */
export async function createTokens(
  app: FastifyInstance,
  secret: Secret | readonly Secret[] | undefined,
  settings: TokenSettings
) {
  const secrets = toSecrets(secret, settings.algorithm)
  const lifetime = toSeconds(settings.expiresIn, 'jwt.expiresIn')
  checkClaims(settings)
  const publicKeys = secrets.flatMap((entry) => publicKeyIn(entry, settings.algorithm))
  // The first one signs, all of them verify.
  const keys = await registerKeys(app, secrets, lifetime, settings, publicKeys[0]?.kid)
  const [signer] = keys
  // The token must not expire before it is verified, even if `expiresIn` is one second.
  const iat = Math.floor(Date.now() / 1000) + 60
  try {
    signer.verify(signer.sign({ sub: 'test', iat }))
  } catch (cause) {
    throw new Error(
      `The option \`secret\` of authentication does not work with ${settings.algorithm}: are the keys a pair?`,
      { cause }
    )
  }

  const linkAudience = (purpose: string) => `${settings.audience}#${purpose}`

  /** Reads a token by the first key that verifies it. */
  function read<P extends object = TokenPayload>(
    token: unknown,
    isValid: (payload: P) => boolean,
    options?: Parameters<JWT['verify']>[1]
  ): { payload?: P; causes: readonly unknown[] } {
    const causes: unknown[] = []
    if (typeof token === 'string' && token.length <= maxTokenLength && isCanonical(token))
      for (const key of keys) {
        try {
          const payload = key.verify<P>(token, options)
          if (isValid(payload)) return { payload, causes }
        } catch (error) {
          causes.push(error)
        }
      }
    return { causes }
  }

  return {
    /** How long a token is valid, in seconds. */
    lifetime,
    /** The public keys of the secrets. HS256 has none. */
    publicKeys,

    /** @throws when the claims make the token too long */
    sign(claims: Record<string, unknown> & { sub: string }): { accessToken: string; payload: TokenPayload } {
      const accessToken = signer.sign({ jti: randomUUID(), ...claims })
      if (accessToken.length > maxTokenLength)
        throw new Error(`The access token is too long: it has over ${maxTokenLength} characters. Give it fewer claims`)
      return { accessToken, payload: signer.decode<TokenPayload>(accessToken) as TokenPayload }
    },

    /**
     * @throws {NotAuthenticated} when the token is malformed, was signed by somebody else, has
     * expired or has unusable claims
     */
    verify(accessToken: unknown): TokenPayload {
      const { payload, causes } = read(accessToken, hasValidClaims)
      if (payload !== undefined) return payload
      const hasExpired = causes.some((cause) => readProperty(cause, 'code') === 'FAST_JWT_EXPIRED')
      const message = hasExpired ? 'Invalid access token: it has expired' : 'Invalid access token'
      throw new NotAuthenticated(message, undefined, { cause: causes.at(-1) })
    },

    /**
     * Signs a token for a link in a mail. It has an audience of its own and no `sub`, so it is no
     * access token.
     * @param purpose the only purpose for which it is good
     * @param expiresIn in seconds
     */
    signLink: (purpose: string, claims: LinkClaims, expiresIn: number): string =>
      signer.sign(claims, { aud: linkAudience(purpose), expiresIn }),

    /** Returns the claims of the token of a link, `undefined` if it is not valid for this purpose. */
    verifyLink(purpose: string, token: unknown): LinkClaims | undefined {
      const options = {
        allowedAud: linkAudience(purpose),
        requiredClaims: ['iss', 'aud', 'exp', 'user', 'state']
      }
      // An access token of another authentication may have this audience, and has a `sub`.
      return read<LinkClaims & { sub?: unknown }>(token, ({ sub }) => sub === undefined, options).payload
    }
  }
}

/** @throws when a claim or the header can't be used */
function checkClaims({ issuer, audience, header = {} }: TokenSettings): void {
  // The library would skip the check of a claim for which nothing is expected.
  for (const [name, value] of Object.entries({ issuer, audience }))
    if (typeof value !== 'string' || value === '')
      throw new Error(`The option \`jwt.${name}\` of authentication must be a non-empty string, got ${inspect(value)}`)
  const reserved = ['alg', 'kid', 'crit', 'b64'].find((name) => Object.hasOwn(header, name))
  if (reserved !== undefined)
    throw new Error(
      `The option \`jwt.header\` of authentication can't have '${reserved}': the option \`jwt.algorithm\` names the algorithm, and the secrets are tried in order`
    )
}

/** Registers @fastify/jwt for each secret, without touching the `app.jwt` of the application. */
async function registerKeys(
  app: FastifyInstance,
  secrets: readonly CheckedSecret[],
  expiresIn: number,
  { issuer: iss, audience: aud, algorithm, header }: TokenSettings,
  kid: string | undefined
): Promise<[JWT, ...JWT[]]> {
  const keys: Record<string, JWT> = Object.create(null)
  await app.register(async (child) => {
    // The library adds its namespaces to this object instead of that of the application.
    child.decorate<unknown, string>('jwt', keys)
    for (const [index, secret] of secrets.entries())
      await child.register(fastifyJwt, {
        namespace: `fastify-services-${index}`,
        secret,
        sign: { algorithm, iss, aud, expiresIn, header: { ...header, alg: algorithm, ...(kid && { kid }) } },
        verify: {
          algorithms: [algorithm],
          allowedIss: iss,
          allowedAud: aud,
          requiredClaims: ['iss', 'aud', 'exp', 'sub']
        }
      })
  })
  return Object.values(keys) as [JWT, ...JWT[]]
}

// The last character of a signature has bits that decoders ignore, and some decoders skip other
// characters. Only one spelling of a token is accepted, or a revoked token could be varied. The
// other parts can't vary: the signature covers their text.
const signaturePattern = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/
const isCanonical = (token: string) => signaturePattern.test(token.slice(token.lastIndexOf('.') + 1))

const timeClaims = ['exp', 'iat', 'nbf', 'auth_time']
const textClaims = ['sub', 'jti', 'sid']

/**
 * Whether the claims have their types: times that a date can hold, ids that are text. A valid
 * signature does not guarantee that, and stores and the rules of the application rely on it.
 */
export function hasValidClaims(payload: TokenPayload): boolean {
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

/** The first second that a `Date` can't hold. */
export const endOfTime = 8.64e12

/** The longest time span, so that now plus the span is still a date. */
const maxSpan = endOfTime / 2

/**
 * A time span in seconds: `'15m'` → 900, `60` → 60.
 * @param who has the option, for the error
 * @throws when the value is not a span of at least a second
 */
export function toSeconds(value: string | number, option: string, who = 'authentication'): number {
  const seconds = typeof value === 'string' ? Number(parse(value)) / 1000 : value
  if (typeof seconds === 'number' && seconds >= 1 && seconds <= maxSpan) return Math.floor(seconds)
  throw new Error(
    `The option \`${option}\` of ${who} must be a number of seconds, or a string such as '15m' or '1d', got ${inspectText(value)}`
  )
}

const curves: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' }
const secretAdvice = `Make one by: node -e "console.log(crypto.randomBytes(64).toString('base64'))"`

const publicKeyIn = (secret: CheckedSecret, algorithm: Algorithm) =>
  typeof secret === 'object' && 'public' in secret ? [toPublicKey(secret.public, algorithm)] : []

/** A secret in the form that @fastify/jwt takes. */
type CheckedSecret = string | Buffer | { public: string | Buffer; private?: string | Buffer }

/**
 * The secrets as a list. The first one signs, all of them verify.
 * @throws when one of them is missing, too short or not of the kind that the algorithm needs
 */
function toSecrets(secret: Secret | readonly Secret[] | undefined, algorithm: Algorithm): CheckedSecret[] {
  if (!algorithms.includes(algorithm))
    throw new Error(
      `The option \`jwt.algorithm\` of authentication must be one of ${algorithms.join(', ')}, got ${inspectText(algorithm)}`
    )
  const secretList = [secret].flat()
  const secrets = secretList.length === 0 ? [undefined] : secretList
  return secrets.map((entry, index) =>
    algorithm.startsWith('HS') ? toSecretText(entry, algorithm) : toKeyPair(entry, algorithm, index === 0)
  )
}

// The key must be at least as long as the hash (RFC 7518, section 3.2).
function toSecretText(secret: Secret | undefined, algorithm: Algorithm): string | Buffer {
  const bytes = Number(algorithm.slice(2)) / 8
  if (secret === undefined || secret === null || secret === '')
    throw new Error(`The option \`secret\` of authentication is missing. ${secretAdvice}`)
  if (typeof secret !== 'string' && !Buffer.isBuffer(secret))
    throw new Error(
      `The option \`secret\` of authentication must be a string or a Buffer for ${algorithm}: set \`jwt.algorithm\` for a key pair`
    )
  if (secret.includes('-----BEGIN') || /^\s*\{.*"kty"/s.test(secret.toString()))
    throw new Error(
      `The option \`secret\` of authentication must be a secret for ${algorithm}, got a key of a pair: set \`jwt.algorithm\` for a key pair in PEM form`
    )
  if (Buffer.byteLength(secret) < bytes)
    throw new Error(
      `The option \`secret\` of authentication is too short: ${algorithm} needs ${bytes} bytes. ${secretAdvice}`
    )
  return secret
}

/**
 * Converts a key pair to SPKI and PKCS #8 in PEM form, which the library reads for every algorithm.
 * @param signs whether a private key is needed
 * @throws when a key is missing, can't be read, or does not fit the algorithm (RFC 7518, section 3)
 */
function toKeyPair(secret: Secret | undefined, algorithm: Algorithm, signs: boolean): CheckedSecret {
  const needs = `The option \`secret\` of authentication must be { private, public } for ${algorithm}: two keys in PEM form`
  const { public: publicPart, private: privatePart }: Partial<KeyPair> = Object(secret)
  const isPublic = String(publicPart).includes('-----BEGIN') && !String(publicPart).includes('PRIVATE KEY-----')
  if (publicPart === undefined || !isPublic || (signs && !privatePart)) throw new Error(needs)
  let keys: [KeyObject] | [KeyObject, KeyObject]
  try {
    keys =
      signs && privatePart
        ? [createPublicKey(publicPart), createPrivateKey(privatePart)]
        : [createPublicKey(publicPart)]
  } catch (cause) {
    throw new Error(`${needs}. One of them can't be read`, { cause })
  }
  for (const key of keys) {
    if (!fits(key, algorithm)) throw new Error(`${needs}. One of them is a key of another kind`)
    if ((key.asymmetricKeyDetails?.modulusLength ?? 2048) < 2048)
      throw new Error(`The option \`secret\` of authentication is too short: ${algorithm} needs keys of 2048 bits`)
  }
  const [publicKey, privateKey] = keys
  return {
    public: publicKey.export({ type: 'spki', format: 'pem' }),
    ...(privateKey && { private: privateKey.export({ type: 'pkcs8', format: 'pem' }) })
  }
}

function fits({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject, algorithm: Algorithm): boolean {
  if (algorithm === 'EdDSA') return type === 'ed25519' || type === 'ed448'
  const curve = curves[algorithm]
  return curve === undefined ? type === 'rsa' : type === 'ec' && details?.namedCurve === curve
}
