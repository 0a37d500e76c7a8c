import Fastify from 'fastify'
import type { HookContext } from 'fastify-services'
import services, { Conflict, type ServiceError } from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import t from 'tap'

const thrown = (message: string, details: object = {}): Error => Object.assign(new Error(message), details)
const postgres = (code: string, details: object = {}) =>
  thrown('select 1 - no', { severity: 'ERROR', code, ...details })
const mysql = (errno: number, sqlState: string, sqlMessage: string) =>
  thrown(`select 1 - ${sqlMessage}`, { code: 'ER_ANY', errno, sqlState, sqlMessage })
const sqlite = (message: string, code = 'SQLITE_CONSTRAINT') => thrown(`select 1 - ${message}`, { code })

/** What the hook makes of an error. */
function answer(error: unknown, options = {}, method = 'create'): ServiceError {
  const context = { error, method } as HookContext
  databaseErrors(options)(context)
  return context.error as ServiceError
}

const same = (names: string) => [409, `There is a record with the same ${names} already`]
const away = [503, 'The database is not available']
const collision = [503, 'Another call was busy with the same records: try again']
const generated = (name: string) => [400, `${name} is set by the database alone`]
const failed = [500, 'The database has refused a statement']
const value = [400, 'A value is not valid']
const rule = [400, 'The data is against a rule of the database']
const nowhere = (name: string) => [400, `${name} refers to no record that there is`]
const inUse = [409, 'Other records refer to this one']

// Errors as the drivers throw them.
const rows: readonly (readonly [name: string, error: Error, expected: readonly unknown[]])[] = [
  ['two columns', postgres('23505', { detail: 'Key (a, "B")=(1, 2) already exists.' }), same('a and B')],
  ['another language', postgres('23505', { detail: 'Schlüssel »(a)=(1)« existiert bereits.' }), same('a')],
  [
    'an expression',
    postgres('23505', { detail: 'Key (lower(a))=(1) already exists.' }),
    [409, 'There is such a record already']
  ],
  ['no overlap', postgres('23P01', { constraint: 'x' }), [409, 'There is such a record already']],
  ['no null', postgres('23502', { column: 'a' }), [400, 'a is required']],
  ['no null, in no column', postgres('23502'), [400, 'A value is required']],
  ['a reference, without details', postgres('23503'), [400, 'It refers to no record that there is']],
  ['a reference', postgres('23503', { detail: 'Key (a)=(9) is not present in table "b".' }), nowhere('a')],
  ['in use', postgres('23503', { detail: 'Key (id)=(1) is still referenced from table "b".' }), inUse],
  ['in use, in PostgreSQL 18', postgres('23001', { detail: 'Key (id)=(1) is referenced from table "b".' }), inUse],
  ['a column of postgres.js', postgres('23502', { column_name: 'a' }), [400, 'a is required']],
  ['no operator for a type', postgres('42883'), value],
  ['a check', postgres('23514', { constraint: 'a_check' }), rule],
  ['a value', postgres('22P02'), value],
  ['a statement that is too long', postgres('54000'), value],
  ['a server that stops', postgres('57P01'), away],
  ['a deadlock', postgres('40P01'), collision],
  [
    'a column that is generated',
    postgres('428C9', { detail: 'Column "a b" is a generated column.' }),
    generated('a b')
  ],
  [
    'an identity',
    postgres('428C9', { detail: 'Column "a" is an identity column defined as GENERATED ALWAYS.' }),
    generated('a')
  ],
  [
    'an identity, in another language',
    postgres('428C9', { detail: 'Spalte »a« ist eine Identitätsspalte.' }),
    [400, 'A column is set by the database alone']
  ],
  ['a column that is not there', postgres('42703'), [400, 'A field is not known']],
  ['its name', thrown('column "a b" does not exist', { severity: 'ERROR', code: '42703' }), [400, 'a b is not known']],
  [
    'its name, of a table',
    thrown('insert - column "a" of relation "t" does not exist', { severity: 'ERROR', code: '42703' }),
    [400, 'a is not known']
  ],
  [
    'its name behind a table',
    thrown('column t.a does not exist', { severity: 'ERROR', code: '42703' }),
    [400, 'a is not known']
  ],
  ['a table that is not there', postgres('42P01'), failed],

  [
    'MySQL 8: unique',
    mysql(1062, '23000', "Duplicate entry 'a' for key 'users.a_unique'"),
    [409, 'There is such a record already']
  ],
  ['MySQL: no null', mysql(1048, '23000', "Column 'name' cannot be null"), [400, 'name is required']],
  ['MySQL: no default', mysql(1364, 'HY000', "Field 'a' doesn't have a default value"), [400, 'a is required']],
  [
    'MySQL: a reference',
    mysql(
      1452,
      '23000',
      'Cannot add: a foreign key constraint fails (`t`.`n`, CONSTRAINT `c` FOREIGN KEY (`a`) REFERENCES `u` (`id`))'
    ),
    nowhere('a')
  ],
  [
    'MySQL: in use',
    mysql(1451, '23000', 'Cannot delete: (`t`.`n`, CONSTRAINT `c` FOREIGN KEY (`a`) REFERENCES `u` (`id`))'),
    inUse
  ],
  ['MySQL: a check', mysql(3819, 'HY000', "Check constraint 'c' is violated."), rule],
  [
    'MariaDB: the check of a column',
    mysql(4025, '23000', 'CONSTRAINT `t.a` failed for `d`.`t`'),
    [400, 'a is against a rule of the database']
  ],
  [
    'MySQL: a text that is too long',
    mysql(1406, '22001', "Data too long for column 'a' at row 1"),
    [400, "a can't hold this value"]
  ],
  ['MySQL: a value, by its state', mysql(9999, '#22003', 'Out of range'), value],
  ['MySQL: a lock', mysql(1205, 'HY000', 'Lock wait timeout exceeded'), collision],
  [
    'MySQL: a column that is generated',
    mysql(3105, 'HY000', "The value specified for generated column 'a' in table 't' is not allowed."),
    generated('a')
  ],
  [
    'MariaDB: a column that is generated',
    mysql(1906, 'HY000', "The value specified for generated column 'a' in table 't' has been ignored"),
    generated('a')
  ],
  ['MySQL: no column', mysql(1054, '42S22', "Unknown column 't.a' in 'where clause'"), [400, 'a is not known']],
  ['MySQL: a number that is none', mysql(1054, '42S22', "Unknown column 'NaN' in 'field list'"), value],
  ['MySQL: an endless number', mysql(1054, '42S22', "Unknown column 'Infinity' in 'VALUES'"), value],
  [
    'MySQL: a reference of two columns',
    mysql(
      1452,
      '23000',
      'Cannot add: a foreign key constraint fails (`t`.`n`, CONSTRAINT `c` FOREIGN KEY (`a`, `b c`) REFERENCES `u` (`x`, `y`))'
    ),
    nowhere('a and b c')
  ],
  ['MySQL: no table', mysql(1146, '42S02', "Table 't.a' doesn't exist"), failed],
  [
    'MySQL: no message of its own',
    thrown("Column 'a' cannot be null", { errno: 1048, sqlState: '23000' }),
    [400, 'a is required']
  ],

  ['SQLite: unique', sqlite('UNIQUE constraint failed: users.a', 'SQLITE_CONSTRAINT_UNIQUE'), same('a')],
  ['SQLite: two columns', sqlite('SQLITE_CONSTRAINT: UNIQUE constraint failed: users.a, users.b'), same('a and b')],
  ['SQLite: a name in another script', sqlite('UNIQUE constraint failed: my users.größe'), same('größe')],
  ['SQLite: names with spaces', sqlite("UNIQUE constraint failed: u.a b, u.it's"), same("a b and it's")],
  ['SQLite: no null in a name with a space', sqlite('NOT NULL constraint failed: u.a b'), [400, 'a b is required']],
  ['SQLite: a check of a text alone', thrown('CHECK constraint failed: a > 0'), rule],
  [
    'SQLite: a strict type of a name with a space',
    sqlite('cannot store TEXT value in INTEGER column t.a b'),
    [400, "a b can't hold this value"]
  ],
  ['SQLite: no column of a name with a space', sqlite('no such column: a b'), [400, 'a b is not known']],
  [
    'SQLite: no column, in a table with a space',
    sqlite('table my users has no column named a b'),
    [400, 'a b is not known']
  ],
  [
    'SQLite: no column in double quotes',
    sqlite('no such column: "a" - should this be a string literal in single-quotes?', 'SQLITE_ERROR'),
    [400, 'a is not known']
  ],
  [
    'SQLite: a name with a point in data',
    sqlite('near ".": syntax error', 'SQLITE_ERROR'),
    [400, 'A field is not known']
  ],
  ['SQLite: no null', sqlite('NOT NULL constraint failed: users.a', 'ERR_SQLITE_ERROR'), [400, 'a is required']],
  ['SQLite: a reference', sqlite('FOREIGN KEY constraint failed'), [400, 'It refers to no record that there is']],
  ['SQLite: a check', sqlite('CHECK constraint failed: a > 0'), rule],
  ['SQLite: a strict type', sqlite('cannot store TEXT value in INTEGER column t.a'), [400, "a can't hold this value"]],
  [
    'SQLite: a column that a table has not',
    sqlite('table users has no column named a', 'SQLITE_ERROR'),
    [400, 'a is not known']
  ],
  ['SQLite: a check by its name', sqlite('CHECK constraint failed: positive'), rule],
  ['SQLite: a code alone', sqlite('disk I/O error', 'SQLITE_IOERR'), away],
  ['SQLite: a type', sqlite('datatype mismatch', 'SQLITE_MISMATCH'), value],
  ['SQLite: busy', sqlite('database is locked', 'SQLITE_BUSY'), collision],
  ['SQLite: busy, by node:sqlite', sqlite('database is locked', 'ERR_SQLITE_ERROR'), collision],
  ['SQLite: a column that is generated', sqlite('cannot INSERT into generated column "a"'), generated('a')],
  ['SQLite: its update, without a code', thrown('cannot UPDATE generated column "a"'), generated('a')],
  ['SQLite: no column', sqlite('no such column: t.name', 'SQLITE_ERROR'), [400, 'name is not known']],
  ['SQLite: no table', sqlite('no such table: a', 'SQLITE_ERROR'), failed],

  ['no connection', thrown('connect ECONNREFUSED 10.1.2.3:5432', { code: 'ECONNREFUSED', syscall: 'connect' }), away],
  [
    'no connection at any address',
    Object.assign(new AggregateError([thrown('connect', { syscall: 'connect', code: 'ECONNREFUSED' })]), {
      code: 'ECONNREFUSED'
    }),
    away
  ],
  [
    'a connection that is lost',
    thrown('Connection lost: The server closed the connection.', { code: 'PROTOCOL_CONNECTION_LOST' }),
    away
  ],
  ['a pool that waits too long', thrown('timeout exceeded when trying to connect'), away],
  ['a pool that is closed', thrown('Pool is closed.'), away],
  ['a connection that knex has lost', thrown("insert into a values ('b') - Connection terminated unexpectedly"), away],
  ['a connection that postgres.js has closed', thrown('write CONNECTION_CLOSED', { code: 'CONNECTION_CLOSED' }), away],
  ['a pool of knex that is destroyed', thrown('aborted'), away],
  [
    'no connection, by mariadb',
    thrown('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect', errno: -111, sqlState: 'HY000' }),
    away
  ],
  ['no room in the pool', thrown('Knex: Timeout acquiring a connection. The pool is probably full.'), away],

  [
    'in an error of the adapter',
    Object.assign(new Conflict('x'), { [Symbol.for('@feathersjs/knex/error')]: postgres('22P02') }),
    value
  ],
  [
    'in one of Sequelize',
    thrown('Validation error', { original: postgres('23502', { column: 'a' }) }),
    [400, 'a is required']
  ],
  ['in one of Objection', thrown('no', { nativeError: sqlite('UNIQUE constraint failed: users.a') }), same('a')],
  ['in one of TypeORM', thrown('no', { driverError: postgres('23502', { column: 'a' }) }), [400, 'a is required']],
  [
    'in a cause',
    new Error('Failed query: select 1', { cause: postgres('23502', { column: 'a' }) }),
    [400, 'a is required']
  ]
]

/** An error of Prisma, which tells the code and the text of the driver. */
const prisma = (originalCode: string, originalMessage: string, more: object = {}) =>
  thrown('Invalid `prisma.users.create()` invocation', {
    code: 'P2002',
    meta: { driverAdapterError: { cause: { originalCode, originalMessage, ...more } } }
  })

const ofPrisma: readonly (readonly [error: Error, method: string, expected: readonly unknown[]])[] = [
  [prisma('SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: users.a'), 'create', same('a')],
  [prisma('SQLITE_CONSTRAINT_FOREIGNKEY', 'FOREIGN KEY constraint failed'), 'remove', inUse],
  [prisma('1406', "Data too long for column 'a' at row 1"), 'create', [400, "a can't hold this value"]],
  [prisma('1062', "Duplicate entry 'x' for key 'a'"), 'create', [409, 'There is such a record already']],
  [prisma('22001', 'value too long for type character varying(30)'), 'create', value],
  [prisma('23503', 'insert or update violates foreign key constraint "c"'), 'remove', inUse],
  [prisma('45028', 'pool timeout: failed to retrieve a connection'), 'create', away],
  [prisma('42P01', 'relation "t" does not exist'), 'create', failed],
  [prisma('1213', 'Deadlock found when trying to get lock'), 'create', collision],
  [thrown('Transaction failed due to a write conflict', { code: 'P2034', meta: {} }), 'create', collision]
]

t.test('what drivers say to Prisma', async (t) => {
  for (const [error, method, expected] of ofPrisma) {
    const { code, message, cause } = answer(error, {}, method)
    t.strictSame([code, message, cause], [...expected, error])
  }
  const taken = prisma('23505', 'duplicate key value', { constraint: { index: 'users_email_key' } })
  t.match(answer(taken, { messages: { users_email_key: 'Taken' } }), { code: 409, message: 'Taken' })
  for (const meta of [undefined, null, {}, { driverAdapterError: { cause: { originalCode: 1062 } } }]) {
    const other = thrown('no', { code: 'P2025', meta })
    t.equal(answer(other), other)
  }
})

t.test('300 characters at one end of a text are read', async (t) => {
  const at = (length: number) => {
    const key = 'k'.repeat(length - " for key ''".length)
    const { message } = answer(mysql(1062, '23000', `Duplicate entry 'a' for key '${key}'`), {
      messages: { [key]: 'Taken' }
    })
    return message
  }
  t.strictSame([at(300), at(301)], ['Taken', 'There is such a record already'])
})

const numbers: readonly (readonly [numbers: readonly number[], expected: readonly unknown[]])[] = [
  [
    [1062, 1169, 1586],
    [409, 'There is such a record already']
  ],
  [
    [1216, 1452],
    [400, 'It refers to no record that there is']
  ],
  [[1217, 1451], inUse],
  [
    [1048, 1364],
    [400, 'A value is required']
  ],
  [[1054], [400, 'A field is not known']],
  [[3819, 4025], rule],
  [[1264, 1265, 1292, 1366, 1406], value],
  [[1040, 1045, 1053, 1203, 1226, 1317, 1927, 1969, 2006, 2013, 3024, 45009, 45012, 45013, 45026, 45028], away],
  [
    [1906, 3105],
    [400, 'A column is set by the database alone']
  ],
  [[1020, 1205, 1213, 3572], collision],
  [[1, 1064], failed]
]

for (const [all, expected] of numbers)
  t.test(`what MySQL and MariaDB say by ${all.join(', ')}`, async (t) => {
    for (const number of all) {
      const { code, message } = answer(mysql(number, 'HY000', 'No'))
      t.strictSame([code, message], expected, String(number))
    }
  })

const states: readonly (readonly [states: string, expected: readonly unknown[]])[] = [
  ['23505 23P01', [409, 'There is such a record already']],
  ['22000 22P02 54000 54001 42883', value],
  ['08006 25P03 25P04 28000 28P01 3D000 40003 53300 55006 57014 57P03 58030 F0001 XX000', away],
  ['40001 40P01 55P03', collision],
  ['25P01 42601 42501 P0001 00000 1F000', failed]
]

for (const [all, expected] of states)
  t.test(`what PostgreSQL says by ${all}`, async (t) => {
    for (const state of all.split(' ')) {
      const { code, message } = answer(postgres(state))
      t.strictSame([code, message], expected, state)
    }
  })

t.test('what PostgreSQL says of a name with a NUL, and PgBouncer of a client too many', async (t) => {
  t.match(answer(postgres('08P01')), { code: 400, message: value[1] })
  t.match(answer(postgres('08P01', { severity: 'FATAL' })), { code: 503 })
})

const lost = [
  'Connection terminated',
  'Connection ended unexpectedly',
  'Connection lost: The server closed the connection.',
  'timeout expired',
  'Query read timeout',
  'Defined query timeout of 200ms exceeded when running query.',
  'After query timeout of 200ms exceeded, cancelling of query failed.',
  'Cannot use a pool after calling end on the pool',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
  'Unable to acquire a connection',
  "Can't add new command when connection is in closed state",
  'Queue limit reached.',
  'No connections available.',
  'PGlite is closed'
]
const codes = [
  'PROTOCOL_CONNECTION_LOST PROTOCOL_SEQUENCE_TIMEOUT PROTOCOL_ENQUEUE_AFTER_QUIT CONNECTION_CLOSED CONNECTION_ENDED',
  'CONNECTION_DESTROYED CONNECT_TIMEOUT SQLITE_INTERRUPT SQLITE_IOERR_READ SQLITE_FULL SQLITE_CANTOPEN',
  'SQLITE_READONLY SQLITE_CORRUPT SQLITE_NOTADB P1001 P1002 P1008 P1017 P2024'
]
const network =
  'ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT EPIPE ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOENT'

t.test('a database that is away, by its text or its code', async (t) => {
  for (const message of lost) {
    t.equal(answer(thrown(message)).code, 503, message)
    t.type(answer(thrown(`'${message}'`)), Error, 'a value')
    t.not(answer(thrown(`It said: ${message}`)).code, 503, 'another text')
  }
  for (const code of codes.join(' ').split(' ')) {
    t.equal(answer(thrown('No', { code })).code, 503, code)
    t.not(answer(thrown('No', { code: `A_${code}` })).code, 503)
  }
  for (const code of network.split(' ')) {
    for (const syscall of ['connect', 'read', 'write', 'getaddrinfo'])
      t.equal(answer(thrown('No', { code, syscall })).code, 503, `${code} ${syscall}`)
    t.not(answer(thrown('No', { code: `A_${code}`, syscall: 'connect' })).code, 503, 'another code')
    t.not(answer(thrown('No', { code, syscall: 'open' })).code, 503, 'a file')
  }
})

t.test('what SQLite says by its text', async (t) => {
  const reference = thrown('FOREIGN KEY constraint failed')
  t.match(answer(reference), { code: 400, message: 'It refers to no record that there is' }, 'without a code')
  const texts: readonly (readonly [text: string, code: number])[] = [
    ['database table is locked', 503],
    ['database or disk is full', 503],
    ['unable to open database file', 503],
    ['string or blob too big', 400],
    ['datatype mismatch', 400],
    ['near "x": syntax error', 500]
  ]
  for (const [text, code] of texts) {
    t.equal(answer(sqlite(text, 'SQLITE_ERROR')).code, code, text)
    for (const other of [`x ${text}`, `${text} x`])
      t.equal(answer(sqlite(other, 'SQLITE_ERROR')).code, 500, `another text: ${other}`)
  }
})

for (const [name, error, expected] of rows)
  t.test(`what a database says: ${name}`, async (t) => {
    const { code, message, data, errors, cause } = answer(error)
    t.strictSame([code, message], expected)
    t.ok(cause instanceof Error, 'the error of the driver is for logs')
    t.notMatch(JSON.stringify({ message, data, errors }), /select/)
    if (code === 503) t.strictSame(data, { retryAfter: message === collision[1] ? 1 : 5 })
  })

t.test('what is said names the field, and may be said in other words', async (t) => {
  const error = postgres('23505', { detail: 'Key (email)=(a) already exists.', constraint: 'users_email_key' })
  const { errors } = answer(error)
  t.strictSame(errors, [
    { instancePath: '/email', keyword: 'unique', message: 'There is a record with the same email already' }
  ])
  for (const name of ['email', 'users_email_key'])
    t.match(answer(error, { messages: { [name]: 'Taken' } }), {
      code: 409,
      message: 'Taken',
      errors: [{ message: 'Taken' }]
    })
  const both = { messages: { email: 'Taken', users_email_key: 'The address is taken' } }
  t.match(answer(error, both), { message: /^The address/ }, 'a constraint before its columns')
  const empty = postgres('23502', { column: 'email' })
  t.match(
    answer(empty, { messages: { email: 'Taken' } }),
    { message: 'email is required' },
    'a column has words for one reason'
  )
  const check = postgres('23514', { constraint: 'positive' })
  for (const error of [check, mysql(3819, 'HY000', "Check constraint 'positive' is violated.")])
    t.match(answer(error, { messages: { positive: 'Too small' } }), { code: 400, message: 'Too small' })
  for (const name of ['named check', 'age > 0'])
    t.match(answer(sqlite(`CHECK constraint failed: ${name}`), { messages: { [name]: 'Too small' } }), {
      code: 400,
      message: 'Too small'
    })
  const index = sqlite("UNIQUE constraint failed: index 'users_lower'")
  t.match(answer(index, { messages: { users_lower: 'Taken' } }), { code: 409, message: 'Taken' })
  t.match(answer(sqlite('FOREIGN KEY constraint failed'), {}, 'remove'), { code: 409, message: inUse[1] })
})

// Texts of errors hold values that clients have sent.
const secret = 'SECRET'
const forged: Record<string, Error> = {
  'a value that reads as an error of SQLite': sqlite(
    `insert into users values ('NOT NULL constraint failed: ', '${secret}') - UNIQUE constraint failed: users.a`
  ),
  'the same in the text of what wraps an error': thrown(
    `Failed query\nparams: NOT NULL constraint failed: users.${secret}`,
    {
      cause: sqlite('UNIQUE constraint failed: users.a')
    }
  ),
  'a value that reads as a column of PostgreSQL': postgres('23505', {
    detail: `Key (lower(a))=(x (${secret})=(y) already exists.`
  }),
  'a record that does': postgres('23514', { detail: `Failing row contains (1, ${secret}, x)=(y, -1).` }),
  'a value that reads as a table': postgres('23503', {
    detail: `Key (a)=(x is still referenced from table "${secret}".) is not present in table "b".`
  }),
  'a value that reads as a column of MySQL': mysql(
    1366,
    '22007',
    `Incorrect integer value: 'x for column '${secret}' at row 1' for column \`t\`.\`u\`.\`a\` at row 1`
  ),
  'a value that reads as an index': mysql(1062, '23000', `Duplicate entry 'x' for key '${secret}'' for key 'users.a'`)
}
for (const [name, error] of Object.entries(forged))
  t.test(`no value leaves, nor decides: ${name}`, async (t) => {
    const { code, message, errors } = answer(error, { messages: { [secret]: secret } })
    t.notMatch(JSON.stringify({ message, errors }), secret)
    const statuses: Record<string, number> = { '23514': 400, '23503': 400, ER_ANY: code }
    t.equal(code, statuses[String(Object(error).code)] ?? 409)
  })

t.test('texts of a megabyte take no longer than others', async (t) => {
  for (const text of ['UNIQUE constraint failed: ', 'Connection lost', " for column 'a", ' - ', '(a)=(']) {
    const long = `${text.repeat(1_000_000 / text.length)}\nx`
    t.equal(answer(sqlite(long)).code, 500)
    t.equal(answer(postgres('23505', { detail: long })).code, 409)
    t.equal(answer(mysql(1406, '22001', long)).code, 400)
    const other = thrown(long)
    t.equal(answer(other), other)
  }
})

t.test('no statement leaves with an error that is of no driver', async (t) => {
  const texts = [
    'select `secret` from `users` - Wrong API use',
    "INSERT INTO users VALUES ('a - b') - Wrong API use",
    'replace into `users` values (1) - Wrong API use',
    'update `users`\nset `secret` = 1 - Wrong API use',
    'delete from `users` - Wrong API use',
    'call secret(1) - Wrong API use',
    '(with a as (select 1) select * from a) - Wrong API use',
    'Failed query: select "secret" from "users"\nparams: 1',
    'Undefined binding(s) detected for keys [0] when compiling RAW query: select secret from users where id = ?'
  ]
  for (const text of texts)
    for (const error of [thrown(text), new TypeError(text)])
      t.match(answer(error), { code: failed[0], message: failed[1], cause: error }, text)
  for (const text of ['select a file - or none', 'Selected - none', 'select a file', 'It: Failed query: no']) {
    const error = thrown(text, { statusCode: 418 })
    t.equal(answer(error), error, 'an error with a status is meant as it is')
  }
  for (const text of ['Selected - none', 'select a file', 'Update failed - no room', 'It: Failed query: no']) {
    const error = thrown(text)
    t.equal(answer(error), error)
  }
})

t.test('other errors stay as they are', async (t) => {
  const unreachable = new TypeError('fetch failed', { cause: thrown('connect', { syscall: 'connect' }) })
  const meant = new Conflict('Taken', undefined, { cause: postgres('23505') })
  let deep = postgres('23505')
  for (let i = 0; i < 4; i++) {
    t.equal(answer(deep).code, 409, `wrapped ${i} times`)
    deep = new Error('no', { cause: deep })
  }
  const round = thrown('no')
  round.cause = round
  const hostile = Object.defineProperty(new Error('no'), 'code', {
    get() {
      throw new Error('no code')
    }
  })
  const withStatus = thrown('UNIQUE constraint failed: a.b', { statusCode: 418 })
  const folder = thrown('EISDIR: illegal operation on a directory, read', { code: 'EISDIR', syscall: 'read' })
  const texts = [
    'The import was aborted',
    'My own rule: UNIQUE constraint failed: a.b',
    'My own rule: CHECK constraint failed: positive',
    'UNIQUE constraint failed',
    'no - no'
  ]
  const aborted = [
    thrown('aborted', { code: 'ECONNRESET' }),
    thrown('request aborted'),
    new DOMException('aborted', 'AbortError')
  ]
  const network = [folder, thrown('no', { code: 'EPIPE' }), unreachable, ...aborted]
  const others = [meant, deep, round, hostile, withStatus, ...texts.map((text) => thrown(text)), 'no', undefined, null]
  for (const error of [...network, ...others]) t.equal(answer(error), error, String(error))
})

t.test('it is no hook for before and after', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', { find: async () => [] }, { hooks: { after: { find: [databaseErrors()] } } })
  await t.rejects(async () => app.ready(), {
    message: "databaseErrors at 'users' is a hook for 'around' or 'error', not for 'after'"
  })
})
