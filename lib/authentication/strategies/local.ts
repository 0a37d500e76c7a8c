import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params, Query } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import { type Bcrypt, createBcrypt } from '../bcrypt.js'
import type { Entity } from '../entities.js'
import { isHashed, isShortText } from '../password.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../strategy.js'

export interface LocalOptions {
  /** The field of a login that holds the name of the user. Default `'email'`. */
  usernameField?: string
  /** The field of a login that holds the password. Default `'password'`. */
  passwordField?: string
  /** The field of a user that holds the name. Default: `usernameField`. */
  entityUsernameField?: string
  /** The field of a user that holds the hash of the password. Default: `passwordField`. */
  entityPasswordField?: string
  /** Whether bcrypt hashes are verified: `true` for the optional peer `bcryptjs`, or a library that has `compare`. Default `false`. */
  bcrypt?: boolean | Bcrypt
  /** Whether a login replaces a hash of another kind, or with older settings, by `patch` of the users. Default `false`. */
  rehash?: boolean
}

const invalid = () => new NotAuthenticated('Invalid login')

/**
 * Tells who calls by a user name and a password. Derive from it to let only some users log in.
 *
 * @example
 * class ConfirmedOnly extends LocalStrategy {
 *   override getEntityQuery(query: Query) { return { ...query, confirmed: true, $limit: 1 } }
 * }
 * await app.register(authentication, { secret, strategies: { jwt: true, local: new ConfirmedOnly() } })
 */
export class LocalStrategy implements Strategy {
  readonly usernameField: string
  readonly passwordField: string
  readonly entityUsernameField: string
  readonly entityPasswordField: string
  readonly #options: LocalOptions
  #authentication!: Authenticator

  constructor(options: LocalOptions = {}) {
    const { usernameField = 'email', passwordField = 'password' } = options
    this.usernameField = usernameField
    this.passwordField = passwordField
    this.entityUsernameField = options.entityUsernameField ?? usernameField
    this.entityPasswordField = options.entityPasswordField ?? passwordField
    this.#options = options
  }

  /** @throws when there are no users, or bcrypt is wanted and its library is not installed */
  async setup(authentication: Authenticator, name: string): Promise<void> {
    this.#authentication = authentication
    authentication.entities.require('find', name)
    const { bcrypt } = this.#options
    if (bcrypt) authentication.passwords.add(await createBcrypt(bcrypt))
  }

  /** The query that finds a user by name. Override it to let only some log in. */
  getEntityQuery(query: Query, _params: Params): Query | Promise<Query> {
    return { ...query, $limit: 1 }
  }

  async authenticate(request: AuthenticationRequest, params: Params): Promise<StrategyResult> {
    const { [this.usernameField]: username, [this.passwordField]: password } = request
    if (!isShortText(username) || !isShortText(password)) throw invalid()
    const { entities, passwords } = this.#authentication
    const query = await this.getEntityQuery({ [this.entityUsernameField]: username }, params)
    const entity = await entities.find(query, params)
    const stored = entity?.[this.entityPasswordField]
    // A password is also verified where there is no user: the time must not tell which users exist.
    if (!(await passwords.verify(password, stored)) || entity === undefined) throw invalid()
    if (this.#options.rehash && passwords.isOutdated(String(stored))) await this.#rehash(entity, password, params)
    return { [String(entities.name)]: entity }
  }

  describe(): StrategyDescription {
    const password = { type: 'string', format: 'password' }
    return { login: { [this.usernameField]: { type: 'string' }, [this.passwordField]: password } }
  }

  async #rehash(entity: Entity, password: string, params: Params): Promise<void> {
    const { entities, passwords, log } = this.#authentication
    const field = this.entityPasswordField
    try {
      const data = { [field]: await passwords.hash(password) }
      // The query selects the hash that was verified: the password may have been changed in the meantime.
      const query = { [field]: entity[field] }
      const { provider, authentication, ...rest } = params
      const internal = { ...rest, [isHashed]: true, query }
      await entities.service.patch(entities.idOf(entity), data, internal)
    } catch (error) {
      log('The hash of a password could not be replaced', error)
    }
  }
}
