import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import fastq from 'fastq'
import { BadRequest, Unavailable } from '../core/errors.js'
import { inspect } from '../core/options.js'

/**
 * How many passwords are hashed at once. Each takes 16 MiB, and one of the 4 threads that Node has
 * for such work.
 */
export interface PasswordOptions {
  /** How many are hashed at the same time. Default 3. */
  concurrent?: number
  /** How many more may wait. Default 50. Further ones are refused with 503 and `Retry-After`. */
  waiting?: number
}

/** The maximum length of a password, a user name, or an id in a token, in characters. */
export const maxTextLength = 1024

/**
 * Whether a value can be a password, a user name, or an id in a token. Some databases, and bcrypt,
 * would end the text at a NUL.
 */
export const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxTextLength && !value.includes('\0')

export const textFault = (value: unknown): string =>
  typeof value === 'string' && value.includes('\0')
    ? 'can not have the character NUL'
    : `is a string of 1 to ${maxTextLength} characters`

interface PasswordHash {
  /**
   * Whether a password matches a stored hash. If the stored value is not of this kind, the result
   * is `false` at the same cost.
   */
  compare(password: string, stored: unknown): Promise<boolean>
}

/** Hashes and verifies passwords, with a limit on how many at once. */
export class Passwords {
  readonly #kinds: PasswordHash[] = [scryptHash]
  readonly #queue: fastq.queueAsPromised<() => Promise<unknown>>
  readonly #limit: number

  /** @throws when an option is no whole number */
  constructor({ concurrent = 3, waiting = 50 }: PasswordOptions = {}) {
    if (!Number.isInteger(concurrent) || concurrent < 1 || !Number.isInteger(waiting) || waiting < 0)
      throw new Error(
        `The options \`passwords\` of authentication must be whole numbers: \`concurrent\` from 1, \`waiting\` from 0, got ${inspect(concurrent)} and ${inspect(waiting)}`
      )
    this.#queue = fastq.promise((task: () => Promise<unknown>) => task(), concurrent)
    this.#limit = concurrent + waiting
  }

  add(kind: PasswordHash): void {
    this.#kinds.push(kind)
  }

  /**
   * @throws {BadRequest} when the value can't be a password.
   * @throws {Unavailable} when too many are waiting
   */
  async hash(password: string): Promise<string> {
    if (!isShortText(password)) throw new BadRequest(`A password ${textFault(password)}`)
    return this.#run(() => scryptHash.hash(password))
  }

  /**
   * Whether a password matches a stored hash. It computes a hash of each kind, so that the time
   * reveals neither the kind of the stored hash nor whether there is one. If the value can't be a
   * password, nothing is computed.
   *
   * @throws {Unavailable} when too many are waiting
   */
  async verify(password: string, stored: unknown): Promise<boolean> {
    if (!isShortText(password)) return false
    return this.#run(async () => {
      let isValid = false
      for (const kind of this.#kinds) isValid = (await kind.compare(password, stored)) || isValid
      return isValid
    })
  }

  /** Whether a stored hash has another kind or other settings than `hash` uses. */
  isOutdated(stored: string): boolean {
    return !scryptHash.isCurrent(stored)
  }

  async #run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#queue.running() + this.#queue.length() >= this.#limit)
      throw new Unavailable('Too many passwords are being checked: try again in a moment', { retryAfter: 1 })
    return (await this.#queue.push(task)) as T
  }
}

// A setting that OWASP recommends. A hash takes 16 MiB.
const cost = { ln: 14, r: 8, p: 5 }
type ScryptCost = typeof cost
// The hash has 16, 32 or 64 bytes. A hash that a short column has cut off must not match.
const scryptPattern =
  /^\$scrypt\$ln=([1-9]|1\d|20),r=([1-9]\d?),p=([1-9]\d?)\$([\w+/]{11,})\$([\w+/]{22}|[\w+/]{43}|[\w+/]{86})$/
// In bytes. A stored hash that needs more is refused.
const maxMemory = 2 ** 30
// Of N * r * p, twelve times that of `cost`: a stored hash must not slow a login down further.
const maxWork = 2 ** 23
const currentPrefix = `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$`

const workOf = ({ ln, r, p }: ScryptCost) => 2 ** ln * r * p

const toBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const fromBase64 = (text: string) => Buffer.from(text, 'base64')

/** Hashes passwords by scrypt, in PHC form: `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`. */
const scryptHash = {
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16)
    return `${currentPrefix}${toBase64(salt)}$${toBase64(await deriveKey(password, salt, 32, cost))}`
  },
  isCurrent: (stored: string) => stored.startsWith(currentPrefix),
  async compare(password: string, stored: unknown): Promise<boolean> {
    const { settings, salt, hash } = parseScrypt(stored) ?? {
      settings: cost,
      salt: randomBytes(16),
      hash: randomBytes(32)
    }
    const isEqual = timingSafeEqual(await deriveKey(password, salt, hash.length, settings), hash)
    // A cheaper hash is topped up to the current cost. An unknown user costs that much, and the
    // time must not reveal which users exist.
    const p = Math.round((workOf(cost) - workOf(settings)) / workOf({ ...cost, p: 1 }))
    if (p > 0) await deriveKey(password, salt, 32, { ...cost, p })
    return isEqual
  }
} satisfies PasswordHash & Record<string, unknown>

function deriveKey(password: string, salt: Buffer, length: number, { ln, r, p }: ScryptCost): Promise<Buffer> {
  // Node takes a little more than 128 * r * (N + p).
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * r * (2 ** ln + p) }
  const compute = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
  // Keyboards differ in how they encode the same letters in Unicode.
  return compute(password.normalize('NFKC'), salt, length, options)
}

interface ScryptParts {
  readonly settings: ScryptCost
  readonly salt: Buffer
  readonly hash: Buffer
}

/** Parses a stored scrypt hash. `undefined` for one of another kind, or one that costs too much. */
function parseScrypt(stored: unknown): ScryptParts | undefined {
  const [, ln, r, p, salt = '', hash = ''] = (typeof stored === 'string' && scryptPattern.exec(stored)) || []
  const settings = { ln: Number(ln), r: Number(r), p: Number(p) }
  // By RFC 7914, N is less than 2 ** (16 * r).
  const fits =
    128 * 2 ** settings.ln * settings.r <= maxMemory && workOf(settings) <= maxWork && settings.ln < 16 * settings.r
  return fits ? { settings, salt: fromBase64(salt), hash: fromBase64(hash) } : undefined
}

/** A library that verifies bcrypt hashes, such as `bcryptjs` or `bcrypt`. */
export interface Bcrypt {
  compare(password: string, hash: string): Promise<boolean>
}

const bcryptPattern = /^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z\d]{53}$/

/**
 * Creates the kind of hash that verifies the bcrypt hashes of an existing table of users.
 *
 * @param library the library, or `true` for the optional peer dependency `bcryptjs`
 * @throws when `bcryptjs` is not installed, or the library has no `compare`
 */
export async function createBcrypt(library: Bcrypt | true): Promise<PasswordHash> {
  const { compare } = library === true ? await importBcryptjs() : library
  if (typeof compare !== 'function')
    throw new Error('The option `bcrypt` of the strategy local must be true, or a library with a function `compare`')
  // Compared if the stored value is no bcrypt hash. It costs as much as the costliest hash so far.
  let dummy = dummyHash(10)
  const isBcrypt = (stored: unknown): stored is string => typeof stored === 'string' && bcryptPattern.test(stored)
  return {
    async compare(password, stored) {
      const isRead = isBcrypt(stored)
      if (isRead && costIn(stored) > costIn(dummy)) dummy = dummyHash(Number(costIn(stored)))
      const isEqual = await compare(password, isRead ? stored : dummy)
      // Each cost is twice the one before. The costs from the stored one up, each once, add up to
      // the difference.
      if (isRead)
        for (let cost = Number(costIn(stored)); cost < Number(costIn(dummy)); cost++)
          await compare(password, dummyHash(cost))
      return isRead && isEqual
    }
  }
}

const costIn = (hash: string) => hash.slice(4, 6)
const dummyHash = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`

async function importBcryptjs(): Promise<Bcrypt> {
  try {
    return (await import('bcryptjs')).default
  } catch (cause) {
    throw new Error('The option `bcrypt` of the strategy local needs a library: npm install bcryptjs', { cause })
  }
}
