/** Why a database has refused a statement. */
export type Refusal =
  /** A record with the same values exists. */
  | 'unique'
  /** The record refers to one that does not exist. */
  | 'reference'
  /** Other records refer to the record. */
  | 'referenced'
  | 'required'
  /** A column that does not exist, in a query or data that no schema checks. */
  | 'unknown'
  /** A check of the table. */
  | 'rule'
  /** A value that the column can't hold. */
  | 'value'
  /** An update without columns, for which there is no statement. */
  | 'empty'
  /** A value for a column that the database generates. */
  | 'generated'
  /** Two calls were in conflict: the same call may succeed at once. */
  | 'collision'
  /** The database is unavailable. */
  | 'away'
  | 'other'

export interface DriverError {
  readonly refusal: Refusal
  /** The columns of the written record, if the driver reports them. */
  readonly fields: readonly string[]
  /** The name of the constraint or of the index, if the driver reports it. */
  readonly constraint?: string | undefined
  readonly cause: Thrown
}

export type Thrown = Error & Record<PropertyKey, unknown>

/** Reads errors of one kind of driver. `undefined` for other errors. */
type Reader = (error: Thrown) => Omit<DriverError, 'cause'> | undefined

/** The refusals by the codes of the SQL standard (SQLSTATE). */
const byState: readonly [RegExp, Refusal][] = [
  [/^(23505|23P01)/, 'unique'],
  [/^23503/, 'reference'],
  [/^23001/, 'referenced'],
  [/^23502/, 'required'],
  [/^42703/, 'unknown'],
  [/^23514/, 'rule'],
  [/^428C9/, 'generated'],
  // 42883: there is no operator for the type of the column.
  [/^(22|54|42883)/, 'value'],
  // A transaction that is not serializable, a deadlock, a lock timeout.
  [/^(40001|40P01|55P03)/, 'collision'],
  // No connection, no access, no space, a statement timeout, a server that stops or has failed.
  [/^(08|25P0[34]|28|3D|40|53|55|57|58|F0|XX)/, 'away']
]
const refusalOf = (state: string): Refusal => byState.find(([form]) => form.test(state))?.[1] ?? 'other'

// Texts may contain values from clients, of any length. Only their start and end are read, where no
// value can be.
const textStart = (text: unknown) => (typeof text === 'string' ? text.slice(0, 300) : '')
const textEnd = (text: unknown) => (typeof text === 'string' ? text.slice(-300) : '')
/**
 * Returns the text of the driver. knex puts the statement before it, of which `@feathersjs/knex`
 * leaves a space.
 */
const driverText = (message: unknown) =>
  textEnd(message)
    .replace(/^.* - /s, '')
    .trimStart()

// https://www.postgresql.org/docs/current/errcodes-appendix.html The texts are in the language of
// the server.
const postgres: Reader = (error) => {
  const { code, severity, detail, message, column = error.column_name, constraint = error.constraint_name } = error
  if (typeof severity !== 'string' || typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined
  const isReferenced = code === '23503' && / is (still )?referenced from table "[^"]*"\.$/.test(textEnd(detail))
  // For other errors, the brackets of `detail` contain the record, not names of columns.
  const key = /^(23505|23503|23P01)$/.test(code) ? /^[^(]*\(([^()]+)\)=\(/.exec(textStart(detail))?.[1] : undefined
  const [, quoted, plain] =
    (code === '42703' && /^column (?:"([^"]+)"|(?:[\w$]+\.)*([\w$]+)) .*does not exist$/.exec(driverText(message))) ||
    (code === '428C9' && /^Column "([^"]+)" is an? /.exec(textStart(detail))) ||
    []
  // A NUL in a name ends the message to the server too early. PgBouncer has the same code for a
  // client that it rejects.
  const isCutShort = code === '08P01' && severity !== 'FATAL'
  return {
    refusal: isReferenced ? 'referenced' : isCutShort ? 'value' : refusalOf(code),
    fields: columnNames(typeof column === 'string' ? column : (key ?? quoted ?? plain)),
    constraint: typeof constraint === 'string' ? constraint : undefined
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
  ['generated', [1906, 3105]],
  // 1020: a record has changed since the transaction read it. 3572: a lock with NOWAIT.
  ['collision', [1020, 1205, 1213, 3572]],
  // Numbers from 45,000 on are those of the driver `mariadb`.
  // 1317, 1969 and 3024: a statement timeout.
  ['away', [1040, 1045, 1053, 1203, 1226, 1317, 1927, 1969, 2006, 2013, 3024, 45009, 45012, 45013, 45026, 45028]]
]

const mysql: Reader = ({ errno, sqlState, sqlMessage, message }) => {
  // `mariadb` gives network errors a state, too, and numbers below 0.
  if (typeof errno !== 'number' || errno < 0 || typeof sqlState !== 'string') return undefined
  const [start, end] =
    sqlMessage === undefined ? [driverText(message), driverText(message)] : [textStart(sqlMessage), textEnd(sqlMessage)]
  // `mysql2` writes numbers that JSON lacks as names.
  const isNumber = errno === 1054 && /^Unknown column '(NaN|Infinity)' in /.test(start)
  const field =
    /^(?:Column|Field) '([^']+)' /.exec(start) ??
    /^The value specified for generated column '([^']+)' in table /.exec(start) ??
    / for column (?:`[^`]*`\.)*[`']([^`']+)[`'] at row \d+$/.exec(end) ??
    / FOREIGN KEY \(`([^`]+(?:`, `[^`]+)*)`\) REFERENCES [^']*$/.exec(end) ??
    (isNumber ? undefined : /^Unknown column '(?:[^'.]*\.)*([^'.]+)' in /.exec(start)) ??
    // In MariaDB the check of a column is named after the table and the column.
    /^CONSTRAINT `[^`.]+\.([^`.]+)` failed/.exec(start)
  const constraint =
    / for key '(?:[^'.]*\.)?([^'.]+)'$/.exec(end) ??
    /^CONSTRAINT `([^`]+)` failed/.exec(start) ??
    /^Check constraint '([^']+)' is violated\.$/.exec(start)
  return {
    refusal: isNumber
      ? 'value'
      : (byNumber.find(([, numbers]) => numbers.includes(errno))?.[0] ?? refusalOf(sqlState.replace('#', ''))),
    fields: columnNames(field?.[1]?.replaceAll('`, `', ', ')),
    constraint: constraint?.[1]
  }
}

// https://www.sqlite.org/rescode.html Errors of some drivers have no code.
const sqliteTexts: readonly [RegExp, Refusal][] = [
  [/^UNIQUE constraint failed(?:: (?:index '(?<constraint>.+)'|(?<columns>[^.]+\..+))$)?/, 'unique'],
  [/^FOREIGN KEY constraint failed$/, 'reference'],
  [/^NOT NULL constraint failed(?:: (?<columns>[^.]+\..+)$)?/, 'required'],
  [/^CHECK constraint failed(?:: (?<constraint>.+)$)?/s, 'rule'],
  [/^cannot store \w+ value in \w+ column (?<columns>.+)$/, 'value'],
  [/^(datatype mismatch|string or blob too big)$/, 'value'],
  [/^(no such column: |table .+ has no column named )(?<columns>.+)$/, 'unknown'],
  // A name with a dot where the statement allows only a column.
  [/^near "\.": syntax error$/, 'unknown'],
  [/^cannot (INSERT into|UPDATE) generated column "(?<columns>[^"]+)"$/, 'generated'],
  [/^database (table )?is locked$/, 'collision'],
  [/^(database or disk is full|unable to open database file)$/, 'away']
]
const sqliteCodes: readonly [RegExp, Refusal][] = [
  [/SQLITE_(BUSY|LOCKED)/, 'collision'],
  [/SQLITE_(INTERRUPT|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB)/, 'away']
]

const sqlite: Reader = ({ code, message }) => {
  const hasCode = typeof code === 'string' && /^(SQLITE_|ERR_SQLITE)/.test(code)
  // SQLite adds a hint after a name in double quotes.
  const trimmed = textEnd(message).replace(/ - should this be a string literal in single-quotes\?$/, '')
  // If a query builder has created the error, the statement is before the text.
  const text = (hasCode ? driverText(trimmed) : trimmed).replace(/^SQLITE_\w+: /, '')
  const [form, refusal] = sqliteTexts.find(([form]) => form.test(text)) ?? []
  const { columns, constraint } = form?.exec(text)?.groups ?? {}
  if (!hasCode && (columns ?? constraint) === undefined && refusal !== 'reference') return undefined
  const byCode = sqliteCodes.find(([form]) => form.test(String(code)))?.[1] ?? 'other'
  return { refusal: refusal ?? byCode, fields: columnNames(columns?.replace(/(^|, ?)[^,]*\./g, '$1')), constraint }
}

const networkCodes = /^(ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|ENOENT)$/
const driverCodes =
  /^(PROTOCOL_(CONNECTION_LOST|SEQUENCE_TIMEOUT|ENQUEUE_\w+)|CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|P10(01|02|08|17)|P2024)$/
// The messages of drivers and of connection pools that have no code.
const lostConnection =
  /^(Connection (terminated|ended|lost)\b[^']*|timeout expired|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool after calling end on the pool|Client (was closed|has encountered a connection error) and is not queryable|Knex: Timeout acquiring a connection\.[^']*|Defined query timeout of \d+ms exceeded when running query\.|After query timeout of \d+ms exceeded, cancelling of query failed\.|Unable to acquire a connection|Can't add new command when connection is in closed state|Queue limit reached\.|No connections available\.|Pool is closed\.|PGlite is closed)$/

const connection: Reader = ({ syscall, message, code }) => {
  const isNetwork = /^(connect|read|write|getaddrinfo)$/.test(String(syscall)) && networkCodes.test(String(code))
  // The pool of knex has the message `aborted`, without a code.
  const isLost = lostConnection.test(driverText(message)) || (message === 'aborted' && code === undefined)
  return isNetwork || isLost || driverCodes.test(String(code)) ? { refusal: 'away', fields: [] } : undefined
}

// Prisma calls drivers through adapters, and reports the code and the text of the driver. Codes of
// MySQL have four digits, codes of `mariadb` itself are 45028 and the like.
const prisma: Reader = ({ meta, code: ownCode }) => {
  const { originalCode: code, originalMessage: message, constraint } = Object(Object(meta).driverAdapterError?.cause)
  if (typeof code !== 'string' || typeof message !== 'string')
    return ownCode === 'P2034' ? { refusal: 'collision', fields: [] } : undefined
  const toThrown = (members: Record<string, unknown>): Thrown => Object.assign(new Error(message), members) as never
  if (/^(\d{4}|45\d{3})$/.test(code)) return mysql(toThrown({ errno: Number(code), sqlState: '', sqlMessage: message }))
  return (
    postgres(toThrown({ severity: 'ERROR', code, constraint: Object(constraint).index })) ?? sqlite(toThrown({ code }))
  )
}

// knex itself refuses an update without columns, a negative `$skip` and an undefined value.
const knex: Reader = ({ message }) => {
  const text = textStart(message)
  if (text === 'A non-negative integer must be provided to offset.') return { refusal: 'value', fields: [] }
  if (/^Empty \.update\(\) call detected! /.test(text)) return { refusal: 'empty', fields: [] }
  return /^Undefined binding\(s\) detected /.test(text) ? { refusal: 'other', fields: [] } : undefined
}

// PGlite itself refuses some values.
const pglite: Reader = ({ message }) =>
  /^Invalid input for (boolean|bytea|date) type$/.test(driverText(message))
    ? { refusal: 'value', fields: [] }
    : undefined

// Kysely throws it if PostgreSQL has rolled back instead of committing.
const kyselyAborted: Reader = (error) =>
  error[Symbol.for('kysely.AbortedTransactionError')] === true ? { refusal: 'other', fields: [] } : undefined

const statementStart =
  /^[\s(]*(select\s|(insert|replace|merge)\s.*\binto\s|update\s.*\sset\s|delete\s.*\bfrom\s|with\s.*\sas\s|call\s.*\()/is
/**
 * Reads errors that no other reader knows, such as a `TypeError` of a driver, by the statement that
 * knex or Drizzle puts before them. The error of a commit leaves its outcome open.
 */
const statement: Reader = ({ message }) => {
  const isOfKnex = statementStart.test(textStart(message)) && message.includes(' - ')
  return isOfKnex || /^Failed query: (?!commit\b)/i.test(textStart(message))
    ? { refusal: 'other', fields: [] }
    : undefined
}

/**
 * The readers for each kind of driver, for knex and Kysely themselves, for connection errors of all
 * drivers, and for other errors that contain a statement.
 */
export const readers: readonly Reader[] = [
  postgres,
  mysql,
  sqlite,
  prisma,
  knex,
  pglite,
  kyselyAborted,
  connection,
  statement
]

const columnNames = (names: string | undefined) => names?.split(/, ?/).map((name) => name.replaceAll('"', '')) ?? []
