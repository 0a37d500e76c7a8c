import fastq from 'fastq'
import { BadRequest, Unavailable } from '../core/errors.js'
import { inspect } from '../core/options.js'
import { type PasswordHash, scryptHash } from './scrypt.js'

/**
 * How many passwords are hashed at once. Each takes 16 MiB, and one of the 4 threads that Node has
 * for such work.
 */
export interface PasswordOptions {
  /** How many are hashed at the same time. Default 3. */
  concurrent?: number
  /** How many more may wait. Default 50. Any further one is answered with 503 and `Retry-After`. */
  waiting?: number
}

/** Marks the params of a call whose data holds a hash in place of the password. */
export const isHashed = Symbol('isHashed')

/**
 * Under this name, params say which hash a patch replaces, as a condition of its query. A function,
 * since whoever prints params must not print it. Hooks of the application don't find it in the
 * query: they may refuse to be asked for passwords.
 */
export const replacedHash: unique symbol = Symbol('replacedHash')

/** The most characters of a password, a user name, or an id in a token. */
export const maxTextLength = 1024

/**
 * Whether a value can be a password, a user name, or an id in a token. Some databases, and bcrypt,
 * would end the text at a NUL.
 */
export const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxTextLength && !value.includes('\0')

/** What is wrong with a value that can't be such a text. */
export const textFault = (value: unknown): string =>
  typeof value === 'string' && value.includes('\0')
    ? 'can not have the character NUL'
    : `is a string of 1 to ${maxTextLength} characters`

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

  /** Adds a kind of hash that `verify` reads. */
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
   * Whether a password is the one that was hashed. A hash of each kind is computed, so that the
   * time does not tell of which kind the stored one is, nor whether there is one. Nothing is
   * computed for a value that can't be a password.
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

  /**
   * Whether a stored hash is of another kind, or has other settings, than those that `hash` makes.
   */
  isOutdated(stored: string): boolean {
    return !scryptHash.isCurrent(stored)
  }

  async #run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#queue.running() + this.#queue.length() >= this.#limit)
      throw new Unavailable('Too many passwords are being checked: try again in a moment', { retryAfter: 1 })
    return (await this.#queue.push(task)) as T
  }
}
