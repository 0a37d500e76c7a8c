import { randomBytes, scryptSync } from 'node:crypto'

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** A hash as it is stored, in PHC form, made without the library. The default costs next to nothing: for users of tests about something else. */
export function toHash(password: string, { ln = 4, r = 8, p = 1, length = 32 } = {}): string {
  const salt = randomBytes(16)
  const hash = scryptSync(password, salt, length, { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r })
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`
}
