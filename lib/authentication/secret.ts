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
const isText = (value: unknown): value is string | Buffer => typeof value === 'string' || Buffer.isBuffer(value)

/**
 * The secrets as a list; the first signs, all verify.
 * @throws when one of them is missing, too short or not of the kind that the algorithm needs
 */
export function toSecrets(secret: Secret | readonly Secret[] | undefined, algorithm: Algorithm): Secret[] {
  if (!algorithms.includes(algorithm))
    throw new Error(`The option jwt.algorithm of authentication is one of ${algorithms.join(', ')}, not '${algorithm}'`)
  const secrets = Array.isArray(secret) ? (secret as Secret[]) : [secret as Secret]
  if (secrets.length === 0 || secrets.some((one) => one === undefined || one === null || one === ''))
    throw new Error(`The option \`secret\` of authentication is missing. ${advice}`)
  const check = algorithm.startsWith('HS') ? checkText : checkPair
  secrets.forEach((one, index) => {
    check(one, algorithm, index === 0)
  })
  return secrets
}

// A key as long as the hash, or longer (RFC 7518, section 3.2).
function checkText(secret: Secret, algorithm: Algorithm): void {
  const bytes = Number(algorithm.slice(2)) / 8
  if (!isText(secret))
    throw new Error(
      `The option \`secret\` of authentication is a string or a Buffer for ${algorithm}: set jwt.algorithm for a key pair`
    )
  if (secret.includes('-----BEGIN'))
    throw new Error(
      `The option \`secret\` of authentication is a key in PEM form, and no secret: set jwt.algorithm for a key pair`
    )
  if (Buffer.byteLength(secret) < bytes)
    throw new Error(
      `The option \`secret\` of authentication is too short: ${algorithm} needs ${bytes} bytes. ${advice}`
    )
}

function checkPair(secret: Secret, algorithm: Algorithm, signs: boolean): void {
  if (isText(secret) || !isText(secret.public) || (signs && secret.private === undefined))
    throw new Error(
      `The option \`secret\` of authentication is { private, public } for ${algorithm}: two keys in PEM form`
    )
}
