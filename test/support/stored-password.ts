import { randomBytes, scryptSync } from 'node:crypto'

const toText = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** A hash as it is stored, which costs next to nothing to make and to verify: for users of tests about something else. */
export function toStored(password: string): string {
  const salt = randomBytes(16)
  return `$scrypt$ln=4,r=8,p=1$${toText(salt)}$${toText(scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 }))}`
}
