import fastq from 'fastq'
import { BadRequest, Unavailable } from '../core/errors.js'
import { type PasswordHash, scryptHash } from './scrypt.js'

/** How many passwords are hashed at once. A hash takes a thread of Node's pool of 4 and 16 MiB. */
export interface PasswordOptions {
  /** Hashed at the same time. Default 3. */
  concurrent?: number
  /** Waiting beyond those. Default 50. What comes then is answered with 503 and `Retry-After`. */
  waiting?: number
}

/** The most characters of a password, and of a user name. */
export const maxLength = 1024

/** Whether a value can be a password or a user name. A NUL ends the text for some databases and for bcrypt. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxLength && !value.includes('\0')

/** Hashes and verifies passwords, not too many at once. */
export class Passwords {
  readonly #kinds: PasswordHash[] = [scryptHash]
  readonly #queue: fastq.queueAsPromised<() => Promise<unknown>>
  readonly #limit: number

  /** @throws when an option is no whole number */
  constructor({ concurrent = 3, waiting = 50 }: PasswordOptions = {}) {
    if (!Number.isInteger(concurrent) || concurrent < 1 || !Number.isInteger(waiting) || waiting < 0)
      throw new Error(
        'The options `passwords` of authentication are whole numbers: `concurrent` from 1, `waiting` from 0'
      )
    this.#queue = fastq.promise((task: () => Promise<unknown>) => task(), concurrent)
    this.#limit = concurrent + waiting
  }

  /** Verifies hashes of one more kind. */
  add(kind: PasswordHash): void {
    this.#kinds.push(kind)
  }

  /** @throws {BadRequest} when it can be no password. @throws {Unavailable} when too many are waiting */
  async hash(password: string): Promise<string> {
    if (!isText(password)) throw new BadRequest(`A password is a string of 1 to ${maxLength} characters`)
    return this.#run(() => scryptHash.hash(password))
  }

  /**
   * Whether a password is that of a stored hash. Each kind of hash is computed, so that the time does not tell of which kind the
   * stored one is, nor whether there is one. What can be no password is not computed.
   *
   * @throws {Unavailable} when too many are waiting
   */
  async verify(password: string, stored: unknown): Promise<boolean> {
    if (!isText(password)) return false
    return this.#run(async () => {
      let isValid = false
      for (const kind of this.#kinds) isValid = (await kind.compare(password, stored)) || isValid
      return isValid
    })
  }

  /** Whether `hash` would make a stored hash in another way now. */
  isOutdated(stored: string): boolean {
    return !scryptHash.isCurrent(stored)
  }

  async #run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#queue.running() + this.#queue.length() >= this.#limit)
      throw new Unavailable('Too many passwords are being checked: try again in a moment', { retryAfter: 1 })
    return (await this.#queue.push(task)) as T
  }
}
