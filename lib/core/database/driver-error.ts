/** Why a database has refused a statement. */
export type Refusal =
  /** A record with the same values is there already. */
  | 'unique'
  /** What the record refers to is not there. */
  | 'reference'
  /** Other records refer to it. */
  | 'referenced'
  | 'required'
  /** A column that is not there: of a query that no schema checks. */
  | 'unknown'
  /** A check of the table. */
  | 'rule'
  /** A value that the column can't hold. */
  | 'value'
  /** The database can't answer now. */
  | 'away'
  | 'other'

/** What the error of a driver says. */
export interface DriverError {
  readonly refusal: Refusal
  /** The columns of the record that was written, where the driver names them. */
  readonly fields: readonly string[]
  /** The name of the constraint or of the index, where the driver says it. */
  readonly constraint?: string | undefined
  readonly cause: Thrown
}

type Thrown = Error & Record<PropertyKey, unknown>

/** What one kind of driver says of an error; `undefined` for errors that are not of its kind. */
type Reader = (error: Thrown) => Omit<DriverError, 'cause'> | undefined

/** By the codes of the SQL standard. */
const byState: readonly [RegExp, Refusal][] = [
  [/^(23505|23P01)/, 'unique'],
  [/^23503/, 'reference'],
  [/^23502/, 'required'],
  [/^42703/, 'unknown'],
  [/^23514/, 'rule'],
  [/^(22|54)/, 'value'],
  // No connection, no access, a deadlock, no room, a lock or a statement that took too long, a server that stops or has failed.
  [/^(08|25P0[34]|28|3D|40|53|55|57|58|F0|XX)/, 'away']
]
const refusalOf = (state: string): Refusal => byState.find(([form]) => form.test(state))?.[1] ?? 'other'

// https://www.postgresql.org/docs/current/errcodes-appendix.html The texts are in the language of the server.
const postgres: Reader = ({ code, severity, detail, column, constraint }) => {
  if (typeof severity !== 'string' || !/^[0-9A-Z]{5}$/.test(String(code))) return undefined
  const isReferenced = / is still referenced from table /.test(String(detail))
  const fields = typeof column === 'string' ? column : /\(([^()]+)\)=\(/.exec(String(detail))?.[1]
  return {
    refusal: isReferenced ? 'referenced' : refusalOf(String(code)),
    fields: listOf(fields),
    constraint: constraint as string | undefined
  }
}

// https://mariadb.com/kb/en/mariadb-error-code-reference/
const byNumber: readonly [Refusal, readonly number[]][] = [
  ['unique', [1062, 1169, 1586]],
  ['reference', [1216, 1452]],
  ['referenced', [1217, 1451]],
  ['required', [1048, 1364]],
  ['unknown', [1054]],
  ['rule', [3819, 4025]],
  ['value', [1264, 1265, 1292, 1366, 1406]],
  ['away', [1040, 1045, 1053, 1203, 1205, 1213, 1226, 2006, 2013]]
]

const mysql: Reader = ({ errno, sqlState, sqlMessage, message }) => {
  if (typeof errno !== 'number' || typeof sqlState !== 'string') return undefined
  const text = String(sqlMessage ?? message)
  const field = /(?:^Column|^Field|for column) '([^']+)'/.exec(text) ?? / FOREIGN KEY \(`([^)]+)`\)/.exec(text)
  const constraint = /for key '(?:[^']*\.)?([^'.]+)'$/.exec(text) ?? /CONSTRAINT `([^`]+)`/.exec(text)
  return {
    refusal: byNumber.find(([, numbers]) => numbers.includes(errno))?.[0] ?? refusalOf(sqlState.replace('#', '')),
    fields: listOf(field?.[1]?.replaceAll('`', '')),
    constraint: constraint?.[1]
  }
}

const sqliteTexts: readonly [RegExp, Refusal][] = [
  [/^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB)/, 'away'],
  [/(database (table )?is locked|disk is full|unable to open database file)$/, 'away'],
  [/(datatype mismatch|string or blob too big)$/, 'value'],
  [/no such column: [^ ]+$/, 'unknown']
]

// https://www.sqlite.org/rescode.html Some drivers give no code to an error.
const sqlite: Reader = ({ code, message }) => {
  const isNamed = /^(SQLITE_|ERR_SQLITE)/.test(String(code))
  const [, kind, columns] = /\b(UNIQUE|FOREIGN KEY|NOT NULL|CHECK) constraint failed(?:: (.+))?$/.exec(message) ?? []
  if (kind === undefined) {
    const found = sqliteTexts.find(([form]) => form.test(message) || form.test(String(code)))?.[1] ?? 'other'
    return isNamed ? { refusal: found, fields: [] } : undefined
  }
  const fields = kind === 'CHECK' ? [] : listOf(columns?.replace(/(?<=^|, )[^,]*\./g, ''))
  return { refusal: constraints[kind] as Refusal, fields, constraint: kind === 'CHECK' ? columns : undefined }
}

const constraints: Readonly<Record<string, Refusal>> = {
  UNIQUE: 'unique',
  'FOREIGN KEY': 'reference',
  'NOT NULL': 'required',
  CHECK: 'rule'
}

const syscalls: readonly unknown[] = ['connect', 'read', 'write', 'getaddrinfo']
// What drivers, and pools of connections, give no code to.
const lost =
  /(Connection (terminated.*|ended unexpectedly|lost.*)|timeout expired|not queryable|Timeout acquiring a connection.*|Unable to acquire a connection|aborted|PGlite is closed)$/

const connection: Reader = ({ syscall, message, code }) =>
  syscalls.includes(syscall) || lost.test(message) || code === 'PROTOCOL_CONNECTION_LOST'
    ? { refusal: 'away', fields: [] }
    : undefined

const readers = [postgres, mysql, sqlite, connection]

const listOf = (names: string | undefined) => names?.split(/, ?/).map((name) => name.replaceAll('"', '')) ?? []

/** What the adapter, the query builder or the ORM has made an error of its own of. */
const wrappers = ['original', 'parent', 'nativeError', 'driverError', 'cause'] as const

function wrapped(error: Thrown): unknown[] {
  // Of `fetch`: another server is away, and no database.
  if (error instanceof TypeError) return []
  // An error of Feathers or of ours is what somebody wanted to say, but for those that an adapter has made: their symbol leads to the first one.
  const names = 'className' in error ? Object.getOwnPropertySymbols(error) : wrappers
  return [...names.map((name) => error[name]), ...(Array.isArray(error.errors) ? error.errors : [])]
}

/** Finds what a driver has thrown in an error; `undefined` where it is of no database. */
export function driverErrorOf(error: unknown, depth = 4): DriverError | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined
  const cause = error as Thrown
  if (!('className' in cause))
    for (const read of readers) {
      const found = read(cause)
      if (found !== undefined) return { ...found, fields: found.refusal === 'referenced' ? [] : found.fields, cause }
    }
  for (const inner of wrapped(cause)) {
    const found = driverErrorOf(inner, depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}
