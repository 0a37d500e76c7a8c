import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { inspectText } from '../core/options.js'

/** A private key in PEM form, with its passphrase where it has one. */
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

const curves: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' }
const advice = `Make one by: node -e "console.log(crypto.randomBytes(64).toString('base64'))"`

/** A secret in the form that @fastify/jwt takes. */
export type CheckedSecret = string | Buffer | { public: string | Buffer; private?: string | Buffer }

/**
 * The secrets as a list. The first one signs, all of them verify.
 * @throws when one of them is missing, too short or not of the kind that the algorithm needs
 */
export function toSecrets(secret: Secret | readonly Secret[] | undefined, algorithm: Algorithm): CheckedSecret[] {
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
    throw new Error(`The option \`secret\` of authentication is missing. ${advice}`)
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
      `The option \`secret\` of authentication is too short: ${algorithm} needs ${bytes} bytes. ${advice}`
    )
  return secret
}

/**
 * A key pair in plain PEM form, SPKI and PKCS #8, which the library reads for every algorithm.
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
