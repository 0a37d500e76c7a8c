/** What is read of a database of SQLite. */
interface SqliteDatabase {
  readonly resultKind?: unknown
  readonly prepare?: unknown
  readonly exec?: unknown
}

/**
 * Whether a transaction of a database ends when its function returns: a promise that this returns
 * would go on outside of it. Drizzle says so of its databases. Connections of SQLite, such as those
 * of `better-sqlite3`, `node:sqlite` and `bun:sqlite`, run texts by `exec` and statements of
 * `prepare`.
 */
export function isSynchronous(database: unknown): boolean {
  const { resultKind, prepare, exec } = Object(database) as SqliteDatabase
  return resultKind === 'sync' || (typeof prepare === 'function' && typeof exec === 'function')
}
