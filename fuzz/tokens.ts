import { createHmac } from 'node:crypto'

export const secret = 'a secret of 32 bytes for the fuzz'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token for the user `1`, the same one each time, with some claims changed. */
export function forge(changes: object, header: object = {}): string {
  const claims = { sub: '1', iss: 'fastify-services', aud: 'authentication', iat: 1_700_000_000, exp: 4_000_000_000 }
  const payload = Array.isArray(changes) ? changes : { ...claims, jti: 'fuzz', ...changes }
  const input = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(payload)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
