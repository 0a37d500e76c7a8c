import type { AroundHook, HookContext } from '../../types/fastify.js'
import type { Id, Params } from '../../types/service.js'
import { hasAlias } from '../authentication/stored-credentials.js'
import type { UserRecord } from '../authentication/users.js'
import { BadRequest } from '../core/errors.js'
import { withFieldCheck } from '../core/field-names.js'
import { withTraits } from '../core/hooks.js'
import { commitOf } from '../database/commit.js'
import type { Mails } from './mails.js'
import type { PasswordLogin } from './password-login.js'

/**
 * Keeps a field of users that says whether their address is verified: it is false for a new user
 * and after a change of the address, and both send a mail.
 */
export class VerifiedAddress {
  readonly #login: PasswordLogin
  readonly #field: string
  readonly #mails: Mails

  constructor(login: PasswordLogin, field: string, mails: Mails) {
    this.#login = login
    this.#field = field
    this.#mails = mails
  }

  /** Adds the hooks to the service of users. */
  install(): void {
    const refuse = withTraits(this.#refuse, { isOutermost: true })
    const named = { who: 'emailVerification', fields: [this.#field], where: 'stored' } as const
    const track = withFieldCheck(withTraits(this.#track, { isInnermost: true }), named)
    this.#login.users.onService((service) => {
      for (const method of ['create', 'update', 'patch']) service.hooks({ around: { [method]: [refuse, track] } })
    })
  }

  isVerified(user: UserRecord): boolean {
    // Some databases have no booleans: 1 is true.
    return Boolean(user[this.#field])
  }

  /** Sends a mail to the user that a function returns, if the address is not verified. */
  send(params: Params, find: () => UserRecord | undefined | Promise<UserRecord | undefined>): void {
    this.#mails.start(params, async () => {
      const user = await find()
      return user && typeof user[this.#address] === 'string' && !this.isVerified(user) ? user : undefined
    })
  }

  /** The field of a user that holds the address. */
  get #address(): string {
    return this.#login.strategy.entityUsernameField
  }

  /** Refuses the field in data of clients, and lists of addresses: a request sends one mail. */
  readonly #refuse: AroundHook = async ({ params, data, method, id }, next) => {
    if (params.provider !== undefined) {
      for (const record of [data].flat())
        if (Object.hasOwn(Object(record), this.#field) || hasAlias(record, this.#field))
          throw new BadRequest(`'${this.#field}' can't be sent: only the server sets it`)
      const isMany =
        Array.isArray(data) || (method === 'patch' && (id ?? null) === null && this.#address in Object(data))
      if (isMany) throw new BadRequest('Send one user')
    }
    await next()
  }

  /** Runs just before the method, with the data that it stores. */
  readonly #track: AroundHook = async (context, next) => {
    const { data, params } = context
    // A transaction of PostgreSQL has to be watched from its beginning.
    const commit = commitOf(params)
    const changes = await Promise.all([data].flat().map((record) => this.#changeOf(record, context)))
    const records = changes.map((change) => change.data)
    context.data = Array.isArray(data) ? records : records[0]
    await next()
    const { users } = this.#login
    const stored: unknown[] = [context.result].flat()
    for (const [index, user] of stored.entries()) {
      const id = users.idIn(user)
      if (changes[index]?.isNew && id !== undefined && id !== null)
        this.send(params, async () => {
          await commit
          // Read anew: a transaction may have been rolled back.
          return users.get(id, {})
        })
    }
  }

  /**
   * Adds the field to the data of a call, unless the server itself sets it.
   * @returns the data, and whether it has an address that is not verified yet
   */
  async #changeOf(record: unknown, { method, id, params }: HookContext): Promise<{ data: unknown; isNew: boolean }> {
    const { users, strategy } = this.#login
    const data: UserRecord = Object(record)
    const isKept = method === 'patch' && data[this.#address] === undefined
    if (data[this.#field] !== undefined || isKept) return { data: record, isNew: false }
    const user = method === 'create' ? undefined : await users.get(id as Id, params)
    const { normalize } = strategy.storedCredentials
    const spell = (name: unknown) => (typeof name === 'string' ? normalize(name) : name)
    const isNew = user === undefined || spell(user[this.#address]) !== spell(data[this.#address])
    return { data: { ...data, [this.#field]: isNew ? false : this.isVerified(user) }, isNew }
  }
}
