import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Algorithm, KeyPair } from './secret.js'

const curves: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' }

/**
 * A key pair as two keys in plain PEM form, SPKI and PKCS #8, which is what the library reads for every algorithm.
 * @param signs whether a private key is needed
 * @throws when one of them is missing, can't be read, or is none for the algorithm (RFC 7518, section 3)
 */
export function toKeyPair(pair: KeyPair, algorithm: Algorithm, signs: boolean): KeyPair {
  const needs = `The option \`secret\` of authentication is { private, public } for ${algorithm}: two keys in PEM form`
  const isPublic = String(pair?.public).includes('-----BEGIN') && !String(pair.public).includes('PRIVATE KEY-----')
  if (!isPublic || (signs && !pair.private)) throw new Error(needs)
  let keys: KeyObject[]
  try {
    keys = [createPublicKey(pair.public), ...(signs && pair.private ? [createPrivateKey(pair.private)] : [])]
  } catch (cause) {
    throw new Error(`${needs}. One of them can't be read`, { cause })
  }
  for (const key of keys) {
    if (!fits(key, algorithm)) throw new Error(`${needs}. One of them is a key of another kind`)
    if ((key.asymmetricKeyDetails?.modulusLength ?? 2048) < 2048)
      throw new Error(`The option \`secret\` of authentication is too short: ${algorithm} needs keys of 2048 bits`)
  }
  const [publicKey, privateKey] = keys as [KeyObject, KeyObject?]
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
