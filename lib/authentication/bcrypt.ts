import type { PasswordHash } from './scrypt.js'

/** A library that verifies bcrypt hashes: `bcryptjs`, `bcrypt` and others have this function. */
export interface Bcrypt {
  compare(password: string, hash: string): Promise<boolean>
}

const form = /^\$2[abxy]\$\d\d\$[./\w]{53}$/

/**
 * bcrypt, for the hashes of an existing table of users.
 *
 * @param library the library, or `true` for the optional peer dependency `bcryptjs`
 * @throws when that is not installed
 */
export async function createBcrypt(library: Bcrypt | true): Promise<PasswordHash> {
  const { compare } = library === true ? await importPeer() : library
  // As costly as the costliest of the table that was seen.
  let dummy = `$2b$10$${'.'.repeat(53)}`
  const reads = (stored: unknown): stored is string => typeof stored === 'string' && form.test(stored)
  return {
    reads,
    async compare(password, stored) {
      const isRead = reads(stored)
      if (isRead && stored.slice(4, 6) > dummy.slice(4, 6)) dummy = `${stored.slice(0, 7)}${dummy.slice(7)}`
      const isEqual = await compare(password, isRead ? stored : dummy)
      return isRead && isEqual
    }
  }
}

async function importPeer(): Promise<Bcrypt> {
  try {
    return (await import('bcryptjs')).default
  } catch (cause) {
    throw new Error('The option `bcrypt` of the strategy local needs a library: npm install bcryptjs', { cause })
  }
}
