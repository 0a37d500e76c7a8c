import { ERROR } from '@feathersjs/knex'
import { BadRequest, type HookContext, Unavailable } from 'fastify-services'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const sqlState = /^[0-9A-Z]{5}$/
// Values that a column can't hold, records that can't be, and statements that are too much for the server.
const ofRequest = /^(22|23|54)/
// No connection, no access, a deadlock, no room, a lock or a statement that took too long, a server that stops or has failed.
const ofServer = /^(08|25P0[34]|28|3D|40|53|55|57|58|F0|XX)/
const syscalls = ['connect', 'read', 'write', 'getaddrinfo']
// What pg, knex and PGlite give no code to.
const lost =
  /(Connection (terminated.*|ended unexpectedly)|timeout expired|not queryable|Timeout acquiring a connection.*|Unable to acquire a connection|aborted|PGlite is closed)$/

interface Refused extends Error {
  code?: unknown
  syscall?: string
  errors?: Refused[]
  /** What the adapter has made an error of its own of. */
  [ERROR]?: Refused
}

/**
 * A hook: what the database refuses is answered without the SQL statement, with which the messages of knex begin. What it can't do
 * now is 503, without its address; a value that it does not take is 400.
 */
export function databaseError(context: HookContext): void {
  const error = Object(context.error) as Refused
  const cause = error[ERROR] ?? error
  if (cause === error && 'className' in error) return
  const code = sqlState.test(String(cause.code)) ? String(cause.code) : ''
  const message = String(error.message).replace(/^.*? - /s, '')
  if (code === '' ? isAway(cause) : ofServer.test(code))
    context.error = new Unavailable('The database is not available', { retryAfter: 5 }, { cause })
  else if (ofRequest.test(code)) context.error = new BadRequest(message, undefined, { cause })
  else if (code !== '' || cause !== error) error.message = message
}

const isAway = ({ syscall, message, errors = [] }: Refused): boolean =>
  syscalls.includes(syscall ?? '') || lost.test(message) || errors.some(isAway)
