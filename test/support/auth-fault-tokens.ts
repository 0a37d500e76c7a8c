import { constants, createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto'
import { claims, secret } from './tokens.js'

export const segment = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A key pair in PEM form. */
export interface Pair {
  public: string
  private: string
}

/** A new key pair, in PEM form. */
export function createPair(type: 'rsa' | 'rsa-pss' | 'ec' | 'ed25519' | 'ed448', details: object = {}): Pair {
  const generate = generateKeyPairSync as (
    type: string,
    details: object
  ) => { publicKey: KeyObject; privateKey: KeyObject }
  const { publicKey, privateKey } = generate(type, { modulusLength: 2048, namedCurve: 'P-256', ...details })
  return {
    public: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    private: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }
}

/** A new key pair for an algorithm. */
export function createPairFor(algorithm: string): Pair {
  if (algorithm === 'EdDSA') return createPair('ed25519')
  const curves: Record<string, string> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }
  return algorithm in curves ? createPair('ec', { namedCurve: curves[algorithm] }) : createPair('rsa')
}

/** A signature as RFC 7518 has it, by node:crypto alone. */
export function sign(algorithm: string, key: string | Buffer, input: string): Buffer {
  const hash = `sha${algorithm.slice(2)}`
  const bytes = Buffer.from(input)
  switch (algorithm.slice(0, 2)) {
    case 'HS':
      return createHmac(hash, key).update(bytes).digest()
    case 'RS':
      return signBytes(hash, bytes, key)
    case 'PS':
      return signBytes(hash, bytes, {
        key,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST
      })
    case 'ES':
      return signBytes(hash, bytes, { key, dsaEncoding: 'ieee-p1363' })
    default:
      return signBytes(null, bytes, key)
  }
}

/** A token of any algorithm, made by hand; `by` signs it where that is not what its header says. */
export function handmade(
  algorithm: string,
  key: string | Buffer = secret,
  payload: unknown = claims(),
  header: object = {},
  by: (input: string) => Buffer = (input) => sign(algorithm, key, input)
): string {
  const input = `${segment({ alg: algorithm, typ: 'JWT', ...header })}.${segment(payload)}`
  return `${input}.${by(input).toString('base64url')}`
}

/** The header or the payload of a token. */
export const decode = (token: string, part: 0 | 1) =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString()) as Record<string, unknown>
