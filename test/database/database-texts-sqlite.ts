const unique = 'UNIQUE constraint failed: '

/** Texts of SQLite, which its drivers throw with a code or without one. */
export const sqlite: readonly string[] = [
  `${unique}users.title`,
  `${unique}main.users.title`,
  `${unique}u.a, u.b`,
  `${unique}users.first, users.second, main.users.third`,
  `${unique}my$users.my$title, my$users.your$name`,
  `${unique}my$db.u$s.c$d, db$.u$.c`,
  `${unique}title`,
  `${unique}users.`,
  `${unique}users.title and more`,
  `${unique}users.title,users.name`,
  `${unique}index 'mine'`,
  'UNIQUE constraint failed',
  `It: ${unique}users.title`,
  'NOT NULL constraint failed: users.title',
  'NOT NULL constraint failed: users.named',
  `${unique}users.named`,
  'NOT NULL constraint failed',
  'A NOT NULL constraint failed: users.title',
  'NULL constraint failed: users.title',
  'FOREIGN KEY constraint failed',
  'A FOREIGN KEY constraint failed',
  'FOREIGN KEY constraint failed: users.title',
  'CHECK constraint failed: mine',
  'CHECK constraint failed: n',
  'CHECK constraint failed: mine > 0',
  'CHECK constraint failed: > mine',
  'CHECK constraint failed',
  'A CHECK constraint failed: mine',
  'datatype mismatch',
  'A datatype mismatch',
  'datatype mismatch here',
  'A cannot store TEXT value in INTEGER column t.a',
  'string or blob too big',
  'cannot store TEXT value in INTEGER column t.a',
  'cannot store  value in  column ',
  'cannot store A value in B column C',
  'cannot INSERT into generated column "title"',
  'cannot UPDATE generated column "title"',
  'cannot DELETE generated column "title"',
  'cannot UPDATE generated column ""',
  'It: cannot UPDATE generated column "title"',
  'cannot UPDATE generated column "title" here',
  'database is locked',
  'The database is locked',
  'database is locked here',
  'database SQLITE_X: is locked',
  'unable to open database file: x',
  'database table is locked',
  'database  is locked',
  'database or disk is full',
  'unable to open database file',
  'no such column: title',
  'no such column: n',
  'no such column: ',
  'no such column: a b',
  'It: no such column: title',
  'no such table: users',
  'constraint failed',
  `SQLITE_CONSTRAINT: ${unique}users.title`,
  `SQLITE_CONSTRAINT_UNIQUE: ${unique}users.title`,
  `It: SQLITE_CONSTRAINT: ${unique}users.title`,
  `SQLITE_: ${unique}users.title`,
  'SQLITE_BUSY: database is locked',
  `SQLITE_A: SQLITE_B: ${unique}users.title`,
  `insert into users values ('a - b')\n - ${unique}users.title`,
  `insert into users - SQLITE_CONSTRAINT: ${unique}users.title`,
  'insert into users - FOREIGN KEY constraint failed',
  `${'x'.repeat(260)} - ${unique}users.title`,
  `${'x'.repeat(400)} - ${unique}users.title`,
  `${unique}users.${'t'.repeat(268)}`,
  `${unique}users.${'t'.repeat(269)}`,
  ''
]

const away = 'BUSY LOCKED INTERRUPT IOERR FULL CANTOPEN READONLY CORRUPT NOTADB BUSY_SNAPSHOT IOERR_READ'
export const sqliteCodes: readonly unknown[] = [
  ...away.split(' ').map((name) => `SQLITE_${name}`),
  ...[
    'SQLITE_',
    'SQLITE_ERROR',
    'SQLITE_CONSTRAINT',
    'ERR_SQLITE',
    'ERR_SQLITE_ERROR',
    'ERR_SQLITE_BUSY',
    'SQLITE',
    'X_SQLITE_BUSY'
  ],
  ...['X_ERR_SQLITE_ERROR', 'sqlite_busy', '', 5, ['SQLITE_BUSY'], undefined]
]

const network =
  'ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT EPIPE ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOENT'
export const networkCodes: readonly unknown[] = [
  ...network.split(' '),
  ...['XECONNREFUSED', 'ECONNREFUSEDX', 'ENOENTX', 'XENOENT', 'ECONN', 'EUNREACH', 'EACCES', '', undefined, ['EPIPE']]
]
export const syscalls: readonly unknown[] = [
  ...[
    'connect',
    'read',
    'write',
    'getaddrinfo',
    'disconnect',
    'connected',
    'readv',
    'thread',
    'writev',
    'getaddrinfo2',
    'open',
    ''
  ],
  undefined
]

const driver = 'CONNECTION_LOST SEQUENCE_TIMEOUT ENQUEUE_AFTER_QUIT ENQUEUE_A ENQUEUE_ ENQUEUE CONNECTION_LOSTX'
export const driverCodes: readonly unknown[] = [
  ...driver.split(' ').map((name) => `PROTOCOL_${name}`),
  ...[
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'CONNECTION_DESTROYED',
    'CONNECTION_OPEN',
    'CONNECTION_',
    'CONNECT_TIMEOUT'
  ],
  ...['XCONNECT_TIMEOUT', 'CONNECT_TIMEOUTS', 'CONNECTION_CLOSEDX', 'PROTOCOL_', 'CONNECTION_LOST', ['CONNECT_TIMEOUT']]
]

const lost = [
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection ended',
  'Connection lost: The server closed the connection.',
  'Connection losted',
  'Connection endedly',
  "Connection lost 'x'",
  'Connection closed',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Defined query timeout of 200ms exceeded when running query.',
  'Defined query timeout of -ms exceeded when running query.',
  'After query timeout of 200ms exceeded, cancelling of query failed.',
  'Cannot use a pool after calling end on the pool',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
  'Client and is not queryable',
  'Knex: Timeout acquiring a connection.',
  'Knex: Timeout acquiring a connection. The pool is probably full.',
  "Knex: Timeout acquiring a connection. 'x'",
  'Knex: Timeout acquiring a connection, x',
  'Unable to acquire a connection',
  "Can't add new command when connection is in closed state",
  'Queue limit reached.',
  'Queue limit reached,',
  'No connections available.',
  'No connections available,',
  'Pool is closed.',
  'Pool is closed,',
  'PGlite is closed',
  'aborted'
]
export const connections: readonly string[] = lost.flatMap((text) => [
  text,
  `It: ${text}`,
  `${text}x`,
  `select 1 - ${text}`,
  `select\n1 - 2 - ${text}`
])
