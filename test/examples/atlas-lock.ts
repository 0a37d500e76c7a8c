import type { Test } from 'tap'
import { openDatabase } from '../../examples/atlas/database.js'

/** Locks the notes of an atlas: a statement on them waits until the lock is rolled back. */
export async function lockNotes(t: Test, url: string | undefined) {
  const { knex, close } = await openDatabase({ url, timeout: 60_000 })
  t.teardown(close)
  const lock = await knex.transaction()
  t.teardown(() => lock.isCompleted() || lock.rollback())
  await lock.raw('lock table notes in access exclusive mode')
  const waiting = "select 1 from pg_locks where not granted and relation = 'atlas.notes'::regclass"
  return {
    knex,
    lock,
    /** Resolves when a statement waits. */
    async untilOneWaits(): Promise<void> {
      while ((await knex.raw(waiting)).rowCount === 0);
    }
  }
}
