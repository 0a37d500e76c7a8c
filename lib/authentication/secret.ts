import { toKeyPair } from './key-pair.js'

/** A private key, in PEM form; with its passphrase where it has one. */
export type PrivateKey = string | Buffer | { readonly key: string | Buffer; readonly passphrase: string }

/** A key pair in PEM form, for RS, PS, ES and EdDSA. One that only verifies has no private key. */
export interface KeyPair {
  readonly public: string | Buffer
  readonly private?: PrivateKey
}

/** What tokens are signed with: at least 32 random bytes for HS256, or a key pair. */
export type Secret = string | Buffer | KeyPair

// biome-ignore format: a table
export const algorithms = [
  'HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'
] as const
export type Algorithm = (typeof algorithms)[number]

const advice = `Make one by: node -e "console.log(crypto.randomBytes(64).toString('base64'))"`

/**
 * The secrets as a list; the first signs, all verify.
 * @throws when one of them is missing, too short or not of the kind that the algorithm needs
 */
export function toSecrets(secret: Secret | readonly Secret[] | undefined, algorithm: Algorithm): Secret[] {
  if (!algorithms.includes(algorithm))
    throw new Error(`The option jwt.algorithm of authentication is one of ${algorithms.join(', ')}, not '${algorithm}'`)
  const given = Array.isArray(secret) ? (secret as Secret[]) : [secret as Secret]
  const secrets = given.length === 0 ? [undefined as never] : given
  if (!algorithm.startsWith('HS'))
    return (secrets as KeyPair[]).map((pair, index) => toKeyPair(pair, algorithm, index === 0))
  for (const one of secrets) checkText(one, algorithm)
  return secrets
}

// A key as long as the hash, or longer (RFC 7518, section 3.2).
function checkText(secret: Secret, algorithm: Algorithm): void {
  const bytes = Number(algorithm.slice(2)) / 8
  if (secret === undefined || secret === null || secret === '')
    throw new Error(`The option \`secret\` of authentication is missing. ${advice}`)
  if (typeof secret !== 'string' && !Buffer.isBuffer(secret))
    throw new Error(
      `The option \`secret\` of authentication is a string or a Buffer for ${algorithm}: set jwt.algorithm for a key pair`
    )
  if (secret.includes('-----BEGIN') || /^\s*\{.*"kty"/s.test(secret.toString()))
    throw new Error(
      'The option `secret` of authentication is a key of a pair, and no secret: set jwt.algorithm for a key pair in PEM form'
    )
  if (Buffer.byteLength(secret) < bytes)
    throw new Error(
      `The option \`secret\` of authentication is too short: ${algorithm} needs ${bytes} bytes. ${advice}`
    )
}
