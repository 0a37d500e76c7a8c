import { randomBytes } from 'node:crypto'
import { and, eq, gt, lt } from 'drizzle-orm'
import type { Store } from 'fastify-services/authentication'
import type { Drizzle } from './database.js'
import { store } from './tables.js'

/** Creates a store of ended logins in the database, so that they stay ended after a restart and in all processes. */
export function createStore(db: Drizzle): Store {
  return {
    async get(key) {
      const isValid = and(eq(store.key, key), gt(store.until, new Date()))
      const [row] = await db.select().from(store).where(isValid)
      return row?.value
    },
    async set(key, value, seconds) {
      const until = new Date(Date.now() + seconds * 1000)
      await db.delete(store).where(lt(store.until, new Date()))
      await db
        .insert(store)
        .values({ key, value, until })
        .onConflictDoUpdate({ target: store.key, set: { value, until } })
    }
  }
}

/**
 * Stores a value without an end, unless the key has one.
 *
 * @returns whether this call has stored it, also among processes that start at the same time
 */
export async function storeFirst(db: Drizzle, key: string, value: string): Promise<boolean> {
  const stored = await db.insert(store).values({ key, value }).onConflictDoNothing().returning()
  return stored.length > 0
}

/** Returns the secret of the first start, which signs the tokens if `AUTH_SECRET` is not set. */
export async function storedSecret(db: Drizzle): Promise<string | undefined> {
  await storeFirst(db, 'secret', randomBytes(64).toString('base64'))
  const [row] = await db.select().from(store).where(eq(store.key, 'secret'))
  return row?.value
}
