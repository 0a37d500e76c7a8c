import type { HookContext, NextFunction } from '../../types/hooks.js'
import { BadRequest, Conflict, GeneralError, NotFound, Unavailable } from '../core/errors.js'
import { forbidAsHook, type HookPosition, withTraits } from '../core/hooks.js'
import { isPlain } from '../core/objects.js'
import { checkOptions, type OptionTable } from '../core/options.js'
import { driverErrorOf } from './driver-error.js'
import type { DriverError, Refusal } from './drivers.js'

/** Options of `databaseErrors()`. */
export interface DatabaseErrorsOptions {
  /**
   * Messages by the name of a unique column, or of a constraint or index of any kind: `{ email:
   * 'There is a user with this e-mail address', bookings_no_overlap: 'The room is taken then' }`.
   * For a unique column, drivers of MySQL report the index, and drivers of SQLite the column.
   */
  readonly messages?: Readonly<Record<string, string>>
}

const databaseErrorsOptions: OptionTable<DatabaseErrorsOptions> = {
  messages: [
    'an object of texts',
    (value) => isPlain(value) && Object.values(value).every((message) => typeof message === 'string')
  ]
}

/**
 * Creates a hook for `around` or `error` that turns errors of SQL databases into service errors
 * (docs/databases.md#database-errors). It knows the drivers of PostgreSQL, MySQL, MariaDB and
 * SQLite, also below Knex, Kysely, Drizzle, Prisma, Sequelize, Objection and TypeORM. Other errors
 * don't change.
 *
 * - 409 `Conflict`: a unique value exists already, or other records refer to this one.
 * - 400 `BadRequest`: a column can't have the value, a reference has no record, a check fails.
 * - 404 `NotFound`: the column of the ids can't have the id.
 * - 503 `Unavailable`: calls were in conflict (`retryAfter: 1`), or the database can't be reached
 * or is too slow (`retryAfter: 5`).
 * - 500 `GeneralError`: any other error of a database.
 *
 * Clients get no SQL. The error of the driver is the `cause`. As an around hook it is outside of
 * all others, so it gets the errors of guards and of commits, too.
 *
 * @throws if an option is unknown or has the wrong type; when the server starts, if it is a hook
 * for `before` or `after`
 * @example
 * await app.register(services, { hooks: { around: { all: [databaseErrors()] } } })
 * @example
 * const messages = { email: 'This address is taken' }
 * app.service('users', users, { hooks: { error: { all: [databaseErrors({ messages })] } } })
 */
export function databaseErrors(
  options: DatabaseErrorsOptions = {}
): (context: HookContext, next?: NextFunction) => Promise<void> | void {
  checkOptions('databaseErrors()', databaseErrorsOptions, options)
  const { messages = {} } = options
  const messageByName = new Map(Object.entries(messages))
  const toError = (error: unknown, id: unknown, method: string): unknown => {
    const driverError = driverErrorOf(error)
    if (driverError === undefined) return error
    return refusesId(driverError, id)
      ? new NotFound(`No record found for id '${id}'`, undefined, { cause: driverError.cause })
      : serviceErrorOf(driverError, messageByName, method)
  }
  const hook = (context: HookContext, next?: NextFunction) => {
    // Read before other hooks may change the id.
    const { id, method } = context
    // An error hook gets no `next`.
    if (next !== undefined)
      return next().catch((error) => {
        throw toError(error, id, method)
      })
    context.error = toError(context.error, id, method)
  }
  const check = ({ path, type }: HookPosition) => {
    if (type !== 'error' && type !== 'around')
      throw new Error(`databaseErrors at '${path}' is a hook for 'around' or 'error', not for '${type}'`)
  }
  // Guards, which run outside of other hooks, may ask a database, too.
  return withTraits(hook, { isOutermost: true, check })
}

forbidAsHook(databaseErrors, 'databaseErrors()')

interface RefusalAnswer {
  readonly Class: typeof Conflict
  /** @param names the columns, empty if the driver does not report them */
  toMessage(names: string): string
}

const sentence = (withNames: (names: string) => string, withoutNames: string) => (names: string) =>
  names === '' ? withoutNames : withNames(names)

const answers: Readonly<Record<Exclude<Refusal, 'away' | 'collision'>, RefusalAnswer>> = {
  unique: {
    Class: Conflict,
    toMessage: sentence((names) => `There is a record with the same ${names} already`, 'There is such a record already')
  },
  referenced: { Class: Conflict, toMessage: () => 'Other records refer to this one' },
  reference: {
    Class: BadRequest,
    toMessage: sentence((names) => `${names} refers to no record that there is`, 'It refers to no record that there is')
  },
  required: { Class: BadRequest, toMessage: sentence((names) => `${names} is required`, 'A value is required') },
  unknown: { Class: BadRequest, toMessage: sentence((names) => `${names} is not known`, 'A field is not known') },
  rule: {
    Class: BadRequest,
    toMessage: sentence(
      (names) => `${names} is against a rule of the database`,
      'The data is against a rule of the database'
    )
  },
  value: {
    Class: BadRequest,
    toMessage: sentence((names) => `${names} can't hold this value`, 'A value is not valid')
  },
  generated: {
    Class: BadRequest,
    toMessage: sentence((names) => `${names} is set by the database alone`, 'A column is set by the database alone')
  },
  empty: { Class: BadRequest, toMessage: () => 'There is nothing to change' },
  other: { Class: GeneralError, toMessage: () => 'The database has refused a statement' }
}

/**
 * Returns whether a database has refused a value, and it is the id of the call. Drivers of PostgreSQL
 * report the value and not the column: `invalid input syntax for type integer: "abc"`.
 */
function refusesId({ refusal, fields, cause }: DriverError, id: unknown): boolean {
  if (refusal !== 'value' || fields.length > 0 || id === undefined || id === null) return false
  const { message } = cause
  const value = String(id)
  if (value.includes('\0')) return message.includes('invalid byte sequence for encoding')
  const [end = '"'] = /"( is out of range for type [\w ]+)$/.exec(message) ?? []
  // `@feathersjs/knex` removes all before the last hyphen.
  const isCut = value.includes('-') && message === value.slice(value.lastIndexOf('-') + 1) + end
  return isCut || message.endsWith(`: "${value}${end}`) || message.endsWith(`value "${value}${end}`)
}

function serviceErrorOf(
  { refusal, fields, constraint = '', cause }: DriverError,
  messageByName: ReadonlyMap<string, string>,
  method: string
) {
  if (refusal === 'collision')
    return new Unavailable('Another call was busy with the same records: try again', { retryAfter: 1 }, { cause })
  if (refusal === 'away') return new Unavailable('The database is not available', { retryAfter: 5 }, { cause })
  // SQLite has one error for both directions. On `remove`, other records refer to this one.
  const { Class, toMessage } = answers[refusal === 'reference' && method === 'remove' ? 'referenced' : refusal]
  const named = [constraint, ...(refusal === 'unique' ? fields : [])].find((name) => messageByName.has(name))
  const message = named === undefined ? toMessage(fields.join(' and ')) : (messageByName.get(named) as string)
  const errors = fields.map((field) => ({ instancePath: `/${field}`, keyword: refusal, message }))
  return new Class(message, errors.length === 0 ? undefined : { errors }, { cause })
}
