import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** A way to hash passwords. */
export interface PasswordHash {
  /**
   * Whether a password is the one that was hashed. `false` for a value that is not of this kind, at
   * the same cost.
   */
  compare(password: string, stored: unknown): Promise<boolean>
}

// A setting that OWASP recommends. A hash takes 16 MiB.
const cost = { ln: 14, r: 8, p: 5 }
// The hash has 16, 32 or 64 bytes: one that a short column of a table has cut off must not match.
const form =
  /^\$scrypt\$ln=([1-9]|1\d|20),r=([1-9]\d?),p=([1-9]\d?)\$([\w+/]{11,})\$([\w+/]{22}|[\w+/]{43}|[\w+/]{86})$/
// In bytes. A stored hash that would take more is refused.
const maxMemory = 2 ** 30
// Of N * r * p, twelve times that of our own: a login must not take longer because of what is
// stored.
const maxWork = 2 ** 23
const current = `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$`

const workOf = ({ ln, r, p }: typeof cost) => 2 ** ln * r * p

const toText = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const toBytes = (text: string) => Buffer.from(text, 'base64')

function derive(password: string, salt: Buffer, length: number, { ln, r, p }: typeof cost): Promise<Buffer> {
  // Node takes a little more than 128 * r * (N + p).
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * r * (2 ** ln + p) }
  const compute = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
  // Keyboards differ in how they encode the same letters in Unicode.
  return compute(password.normalize('NFKC'), salt, length, options)
}

interface Parsed {
  readonly settings: typeof cost
  readonly salt: Buffer
  readonly hash: Buffer
}

/** A stored hash, `undefined` where it is of another kind. */
function parse(stored: unknown): Parsed | undefined {
  const [, ln, r, p, salt = '', hash = ''] = (typeof stored === 'string' && form.exec(stored)) || []
  const settings = { ln: Number(ln), r: Number(r), p: Number(p) }
  // By RFC 7914, N is less than 2 ** (16 * r).
  const fits =
    128 * 2 ** settings.ln * settings.r <= maxMemory && workOf(settings) <= maxWork && settings.ln < 16 * settings.r
  return fits ? { settings, salt: toBytes(salt), hash: toBytes(hash) } : undefined
}

/** scrypt in PHC form: `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`. */
export const scryptHash = {
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16)
    return `${current}${toText(salt)}$${toText(await derive(password, salt, 32, cost))}`
  },
  /** Whether a stored hash has the settings that `hash` uses. */
  isCurrent: (stored: string) => stored.startsWith(current),
  async compare(password: string, stored: unknown): Promise<boolean> {
    const { settings, salt, hash } = parse(stored) ?? { settings: cost, salt: randomBytes(16), hash: randomBytes(32) }
    const isEqual = timingSafeEqual(await derive(password, salt, hash.length, settings), hash)
    // What a hash of our own would have cost more: an unknown user costs that, and the time must
    // not tell which users exist.
    const p = Math.round((workOf(cost) - workOf(settings)) / workOf({ ...cost, p: 1 }))
    if (p > 0) await derive(password, salt, 32, { ...cost, p })
    return isEqual
  }
} satisfies PasswordHash & Record<string, unknown>
