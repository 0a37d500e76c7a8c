import pg from 'pg'
import type { Test } from 'tap'

/** Locks tables: a statement on them waits until the lock is released. */
export async function lockTables(t: Test, url: string | undefined, tables: string) {
  const [lock, observer] = [new pg.Client(url), new pg.Client(url)]
  for (const client of [lock, observer]) {
    await client.connect()
    t.teardown(() => client.end())
  }
  await lock.query(`begin; lock table ${tables} in access exclusive mode`)
  return {
    release: () => lock.query('rollback'),
    /** Resolves when a statement waits. */
    async untilOneWaits(): Promise<void> {
      const waiting =
        'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())'
      while ((await observer.query(waiting)).rowCount === 0);
    }
  }
}
