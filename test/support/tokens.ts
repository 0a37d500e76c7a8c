import { createHmac } from 'node:crypto'

export const secret = 'a secret of 32 bytes for the tests'

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
export const now = () => Math.floor(Date.now() / 1000)

/** The claims of a good token for the user `1` of a service at `/authentication`. */
export const claims = (changes: object = {}) => ({
  sub: '1',
  iss: 'fastify-services',
  aud: 'authentication',
  iat: now(),
  exp: now() + 600,
  jti: 'test',
  ...changes
})

/** A token made by hand, whatever is in it. */
export function forge(
  payload: unknown = claims(),
  header: object = {},
  key: string | Buffer = secret,
  hash = 'sha256'
): string {
  const input = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(payload)}`
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`
}

/** A token without some of its claims. */
export function forgeWithout(...names: string[]): string {
  const left = Object.entries(claims()).filter(([name]) => !names.includes(name))
  return forge(Object.fromEntries(left))
}

/** A token with another signature. */
export const unsigned = (header: object, signature = '', payload: unknown = claims()) =>
  `${encode(header)}.${encode(payload)}.${signature}`
