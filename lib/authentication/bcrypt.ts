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
  let dummy = withCost(10)
  const reads = (stored: unknown): stored is string => typeof stored === 'string' && form.test(stored)
  return {
    async compare(password, stored) {
      const isRead = reads(stored)
      if (isRead && costIn(stored) > costIn(dummy)) dummy = withCost(Number(costIn(stored)))
      const isEqual = await compare(password, isRead ? stored : dummy)
      // Each cost is twice the one before: those from the stored one on, each once, add up to what
      // it lacks.
      if (isRead)
        for (let cost = Number(costIn(stored)); cost < Number(costIn(dummy)); cost++)
          await compare(password, withCost(cost))
      return isRead && isEqual
    }
  }
}

const costIn = (hash: string) => hash.slice(4, 6)
const withCost = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`

async function importPeer(): Promise<Bcrypt> {
  try {
    return (await import('bcryptjs')).default
  } catch (cause) {
    throw new Error('The option `bcrypt` of the strategy local needs a library: npm install bcryptjs', { cause })
  }
}
