import type { Kysely } from 'kysely'
import type { Dialect } from '../core/adapters/table.js'

/**
 * Returns the dialect of a database, by how it quotes names and marks parameters.
 *
 * @throws {Error} if it is none of PostgreSQL, SQLite and MySQL
 */
export function dialectOf(db: Kysely<Record<string, Record<string, unknown>>>): Dialect {
  const { sql } = db.selectFrom('names').select('id').where('id', '=', 1).compile()
  if (sql.includes('`')) return 'mysql'
  if (sql.endsWith('$1')) return 'postgres'
  if (sql.endsWith('?')) return 'sqlite'
  throw new Error('kysely() stores records in PostgreSQL, SQLite, MySQL and MariaDB: this is another database')
}
