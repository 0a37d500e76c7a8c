import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** One way to hash passwords. */
export interface PasswordHash {
  /** Whether a stored hash is of this kind. */
  reads(stored: unknown): stored is string
  /** Compares. What is not of this kind is compared to nothing, at the same cost, and differs. */
  compare(password: string, stored: unknown): Promise<boolean>
}

// One of OWASP's equivalent settings; a hash takes 16 MiB.
const cost = { ln: 14, r: 8, p: 5 }
// 16, 32 or 64 bytes of hash: what a short column has cut is nobody's password.
const form =
  /^\$scrypt\$ln=([1-9]|1\d|20),r=([1-9]\d?),p=([1-9]\d?)\$([\w+/]{11,})\$([\w+/]{22}|[\w+/]{43}|[\w+/]{86})$/
// In bytes. A hash that takes more is none of this server's.
const maxMemory = 2 ** 30
const current = `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$`

const toText = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const toBytes = (text = '') => Buffer.from(text, 'base64')
const toHash = (salt: Buffer, hash: Buffer) => `${current}${toText(salt)}$${toText(hash)}`

type Compute = (password: string, salt: Buffer, length: number, options: ScryptOptions) => Promise<Buffer>

function derive(password: string, salt: Buffer, length: number, { ln, r, p }: typeof cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
  // The same password may be typed in two forms of Unicode.
  const compute = promisify(scrypt) as Compute
  return compute(password.normalize('NFKC'), salt, length, options)
}

/** scrypt in PHC form: `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`. */
export const scryptHash = {
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16)
    return toHash(salt, await derive(password, salt, 32, cost))
  },
  reads(stored: unknown): stored is string {
    const [, ln, r] = (typeof stored === 'string' && form.exec(stored)) || []
    return ln !== undefined && 128 * 2 ** Number(ln) * Number(r) <= maxMemory
  },
  /** Whether a stored hash is what `hash` would make now. */
  isCurrent: (stored: string) => stored.startsWith(current),
  async compare(password: string, stored: unknown): Promise<boolean> {
    const text = scryptHash.reads(stored) ? stored : toHash(randomBytes(16), randomBytes(32))
    const [, ln, r, p, salt, hash] = form.exec(text) as RegExpExecArray
    const expected = toBytes(hash)
    const actual = await derive(password, toBytes(salt), expected.length, {
      ln: Number(ln),
      r: Number(r),
      p: Number(p)
    })
    return timingSafeEqual(actual, expected)
  }
} satisfies PasswordHash & Record<string, unknown>
