import type { AroundHook, HookContext } from '../../types/fastify.js'
import type { Id, Params } from '../../types/service.js'
import { hasAlias } from '../authentication/stored-credentials.js'
import type { UserRecord } from '../authentication/users.js'
import { BadRequest } from '../core/errors.js'
import { withFieldCheck } from '../core/field-names.js'
import { withTraits } from '../core/hooks.js'
import { commitOf } from '../database/commit.js'
import type { FindUser, StartMail } from './mails.js'
import type { PasswordLogin } from './password-login.js'

/**
 * Keeps a field of users that says whether their address is verified: it is false for a new user
 * and after a change of the address, and both send a mail.
 */
export function trackAddress({ users, strategy }: PasswordLogin, field: string, startMail: StartMail) {
  const addressField = strategy.entityUsernameField
  // Some databases have no booleans: 1 is true.
  const isVerified = (user: UserRecord) => Boolean(user[field])

  /** Sends a mail to the user that a function returns, if the address is not verified. */
  function sendLink(params: Params, find: FindUser): void {
    startMail(params, async () => {
      const user = await find()
      return user && typeof user[addressField] === 'string' && !isVerified(user) ? user : undefined
    })
  }

  /** Refuses the field in data of clients, and lists of addresses: a request sends one mail. */
  const refuse: AroundHook = async ({ params, data, method, id }, next) => {
    if (params.provider !== undefined) {
      for (const record of [data].flat())
        if (Object.hasOwn(Object(record), field) || hasAlias(record, field))
          throw new BadRequest(`'${field}' can't be sent: only the server sets it`)
      const isMany =
        Array.isArray(data) || (method === 'patch' && (id ?? null) === null && addressField in Object(data))
      if (isMany) throw new BadRequest('Send one user')
    }
    await next()
  }

  /**
   * Adds the field to the data of a call, unless the server itself sets it.
   * @returns the data, and whether it has an address that is not verified yet
   */
  async function changeOf(record: unknown, { method, id, params }: HookContext) {
    const data: UserRecord = Object(record)
    const isKept = method === 'patch' && data[addressField] === undefined
    if (data[field] !== undefined || isKept) return { data: record, isNew: false }
    const user = method === 'create' ? undefined : await users.get(id as Id, params)
    const { normalize } = strategy.storedCredentials
    const spell = (name: unknown) => (typeof name === 'string' ? normalize(name) : name)
    const isNew = user === undefined || spell(user[addressField]) !== spell(data[addressField])
    return { data: { ...data, [field]: isNew ? false : isVerified(user) }, isNew }
  }

  /** Runs just before the method, with the data that it stores. */
  const track: AroundHook = async (context, next) => {
    const { data, params } = context
    // A transaction of PostgreSQL has to be watched from its beginning.
    const commit = commitOf(params)
    const changes = await Promise.all([data].flat().map((record) => changeOf(record, context)))
    const records = changes.map((change) => change.data)
    context.data = Array.isArray(data) ? records : records[0]
    await next()
    const stored: unknown[] = [context.result].flat()
    for (const [index, user] of stored.entries()) {
      const id = users.idIn(user)
      if (changes[index]?.isNew && id !== undefined && id !== null)
        sendLink(params, async () => {
          await commit
          // Read anew: a transaction may have been rolled back.
          return users.get(id, {})
        })
    }
  }

  const outer = withTraits(refuse, { isOutermost: true })
  const named = { who: 'emailVerification', fields: [field], where: 'stored' } as const
  const inner = withFieldCheck(withTraits(track, { isInnermost: true }), named)
  users.onService((service) => {
    for (const method of ['create', 'update', 'patch']) service.hooks({ around: { [method]: [outer, inner] } })
  })
  return { isVerified, sendLink }
}
