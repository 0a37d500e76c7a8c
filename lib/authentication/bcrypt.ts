import type { PasswordHash } from './scrypt.js'

/** A library that verifies bcrypt hashes, such as `bcryptjs` or `bcrypt`. */
export interface Bcrypt {
  compare(password: string, hash: string): Promise<boolean>
}

const form = /^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z\d]{53}$/

/**
 * Verifies the bcrypt hashes of an existing table of users.
 *
 * @param library the library, or `true` for the optional peer dependency `bcryptjs`
 * @throws when `bcryptjs` is not installed, or the library has no `compare`
 */
export async function createBcrypt(library: Bcrypt | true): Promise<PasswordHash> {
  const { compare } = library === true ? await importPeer() : library
  if (typeof compare !== 'function')
    throw new Error('The option `bcrypt` of the strategy local must be true, or a library with a function `compare`')
  // Compared where there is no bcrypt hash. It costs as much as the costliest hash that was met.
  let dummy = `$2b$10$${'.'.repeat(53)}`
  const reads = (stored: unknown): stored is string => typeof stored === 'string' && form.test(stored)
  return {
    async compare(password, stored) {
      const isRead = reads(stored)
      if (isRead && costIn(stored) > costIn(dummy)) dummy = `${stored.slice(0, 7)}${dummy.slice(7)}`
      const isEqual = await compare(password, isRead ? stored : dummy)
      return isRead && isEqual
    }
  }
}

const costIn = (hash: string) => hash.slice(4, 6)

async function importPeer(): Promise<Bcrypt> {
  try {
    return (await import('bcryptjs')).default
  } catch (cause) {
    throw new Error('The option `bcrypt` of the strategy local needs a library: npm install bcryptjs', { cause })
  }
}
