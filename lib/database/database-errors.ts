import type { HookContext, NextFunction } from '../../types/hooks.js'
import { BadRequest, Conflict, GeneralError, Unavailable } from '../core/error-classes.js'
import { forbidAsHook, type HookPosition, withTraits } from '../core/hooks.js'
import { isPlain } from '../core/objects.js'
import { checkOptions, type OptionTable } from '../core/options.js'
import { driverErrorOf } from './driver-error.js'
import type { DriverError, Refusal } from './drivers.js'

export interface DatabaseErrorsOptions {
  /**
   * What to say, by the name of a column that is unique, or of a constraint or an index of any
   * kind: `{ email: 'There is a user with this e-mail address', bookings_no_overlap: 'The room is
   * taken then' }`. The drivers of MySQL tell the index of a unique column, those of SQLite the
   * column.
   */
  readonly messages?: Readonly<Record<string, string>>
}

const ofDatabaseErrors: OptionTable<DatabaseErrorsOptions> = {
  messages: [
    'an object of texts',
    (value) => isPlain(value) && Object.values(value).every((message) => typeof message === 'string')
  ]
}

/**
 * A hook for `around` or `error` that says in plain words, and with the right status, what a SQL
 * database has refused. It knows the errors of PostgreSQL (`pg`, `postgres`, PGlite), MySQL and
 * MariaDB (`mysql2`, `mariadb`, `mysql`), SQLite (`better-sqlite3`, `sqlite3`, `node:sqlite`,
 * `sql.js`), and finds them in those of `@feathersjs/knex`, Sequelize, Objection, TypeORM, Drizzle
 * and Prisma. Other errors stay as they are.
 *
 * | the database says | status |
 * |---|---|
 * | a unique value is there already; other records refer to this one | 409 `Conflict` |
 * | a column must not be null, is not there, can't hold a value, or is one that the database generates; a reference leads nowhere; a check fails; there is nothing to change | 400 `BadRequest` |
 * | calls at the same time were in each other's way: a deadlock, a lock that took too long, a transaction that is not `serializable` | 503 `Unavailable`, with `retryAfter: 1` (seconds) |
 * | it can't be reached, it has no room, a statement took too long | 503 `Unavailable`, with `retryAfter: 5` (seconds) |
 * | anything else | 500 `GeneralError` |
 *
 * No text of a statement leaves the server: the error of the driver is the `cause`, for logs. Under
 * `around` it stands outside of all other hooks: what guards ask a database is among them, and so
 * is what that says of the commit of `inTransaction`.
 *
 * @throws when an option is not known, or of another type; when the server starts, if it is a hook
 * for `before` or `after`
 * @example
 * await app.register(services, { hooks: { around: { all: [databaseErrors()] } } })
 * @example
 * app.service('users', new KnexService({ Model, name: 'users' }), {
 *   hooks: { error: { all: [databaseErrors({ messages: { email: 'There is a user with this e-mail address' } })] } }
 * })
 */
export function databaseErrors(
  options: DatabaseErrorsOptions = {}
): (context: HookContext, next?: NextFunction) => Promise<void> | void {
  checkOptions('databaseErrors()', ofDatabaseErrors, options)
  const { messages = {} } = options
  const messageByName = new Map(Object.entries(messages))
  const inPlainWords = (error: unknown, method: string): unknown => {
    const driverError = driverErrorOf(error)
    return driverError === undefined ? error : serviceErrorOf(driverError, messageByName, method)
  }
  const hook = (context: HookContext, next?: NextFunction) => {
    // An error hook has none.
    if (next !== undefined)
      return next().catch((error) => {
        throw inPlainWords(error, context.method)
      })
    context.error = inPlainWords(context.error, context.method)
  }
  const check = ({ path, type }: HookPosition) => {
    if (type !== 'error' && type !== 'around')
      throw new Error(`databaseErrors at '${path}' is a hook for 'around' or 'error', not for '${type}'`)
  }
  // Guards, which stand outside of other hooks, may ask a database too.
  return withTraits(hook, { isOutermost: true, check })
}

forbidAsHook(databaseErrors, 'databaseErrors()')

interface RefusalAnswer {
  readonly Class: typeof Conflict
  /**
   * The message. `names` are the names of the columns, empty where the driver does not tell them.
   */
  say(names: string): string
}

const sentence = (withNames: (names: string) => string, withoutNames: string) => (names: string) =>
  names === '' ? withoutNames : withNames(names)

const answers: Readonly<Record<Exclude<Refusal, 'away' | 'collision'>, RefusalAnswer>> = {
  unique: {
    Class: Conflict,
    say: sentence((names) => `There is a record with the same ${names} already`, 'There is such a record already')
  },
  referenced: { Class: Conflict, say: () => 'Other records refer to this one' },
  reference: {
    Class: BadRequest,
    say: sentence((names) => `${names} refers to no record that there is`, 'It refers to no record that there is')
  },
  required: { Class: BadRequest, say: sentence((names) => `${names} is required`, 'A value is required') },
  unknown: { Class: BadRequest, say: sentence((names) => `${names} is not known`, 'A field is not known') },
  rule: {
    Class: BadRequest,
    say: sentence((names) => `${names} is against a rule of the database`, 'The data is against a rule of the database')
  },
  value: { Class: BadRequest, say: sentence((names) => `${names} can't hold this value`, 'A value is not valid') },
  generated: {
    Class: BadRequest,
    say: sentence((names) => `${names} is set by the database alone`, 'A column is set by the database alone')
  },
  empty: { Class: BadRequest, say: () => 'There is nothing to change' },
  other: { Class: GeneralError, say: () => 'The database has refused a statement' }
}

function serviceErrorOf(
  { refusal, fields, constraint = '', cause }: DriverError,
  messageByName: ReadonlyMap<string, string>,
  method: string
) {
  if (refusal === 'collision')
    return new Unavailable('Another call was busy with the same records: try again', { retryAfter: 1 }, { cause })
  if (refusal === 'away') return new Unavailable('The database is not available', { retryAfter: 5 }, { cause })
  // SQLite has one error for both. On `remove`, the other records are those that refer to this one.
  const { Class, say } = answers[refusal === 'reference' && method === 'remove' ? 'referenced' : refusal]
  const named = [constraint, ...(refusal === 'unique' ? fields : [])].find((name) => messageByName.has(name))
  const message = named === undefined ? say(fields.join(' and ')) : (messageByName.get(named) as string)
  const errors = fields.map((field) => ({ instancePath: `/${field}`, keyword: refusal, message }))
  return new Class(message, errors.length === 0 ? undefined : { errors }, { cause })
}
