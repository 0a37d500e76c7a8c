import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params, Query } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import { changeUser } from '../change-user.js'
import { type Bcrypt, createBcrypt, isShortText } from '../password.js'
import { asSent, looksHashed, lowercase, type StoredCredentials } from '../stored-credentials.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../strategy.js'
import type { UserRecord } from '../users.js'

/** Options of `LocalStrategy`. */
export interface LocalOptions {
  /**
   * The field of a login that holds the name of the user. As an object, it also has the spelling in
   * which names are stored and compared: `'lowercase'` (trimmed, NFC), or a function. Default
   * `'email'`, as it was sent.
   */
  usernameField?: string | UsernameField
  /** The field of a login that holds the password. Default `'password'`. */
  passwordField?: string
  /** The field of a user that holds the name. Default: `usernameField`. */
  entityUsernameField?: string
  /** The field of a user that holds the hash of the password. Default: `passwordField`. */
  entityPasswordField?: string
  /**
   * Whether bcrypt hashes are verified: `true` for the optional peer `bcryptjs`, or a library with
   * `compare`. Default `false`.
   */
  bcrypt?: boolean | Bcrypt
  /**
   * Whether the service of users hashes passwords before it stores them, unless a hook has. Default
   * `true`.
   */
  hash?: boolean
  /**
   * Whether a login replaces a hash of another kind or with older settings, by a `patch` of the
   * user. Default `false`.
   */
  rehash?: boolean
}

/** A field for user names. */
export interface UsernameField {
  name: string
  normalize?: 'lowercase' | ((name: string) => string)
}

const invalidLogin = () => new NotAuthenticated('Invalid login')

/**
 * Accepts callers by a user name and a password. Extend it to let only some users log in.
 *
 * @example
 * class ConfirmedOnly extends LocalStrategy {
 *   override getEntityQuery(query: Query) { return { ...query, confirmed: true, $limit: 1 } }
 * }
 * const strategies = { jwt: true, local: new ConfirmedOnly() }
 * await app.register(authentication, { secret, strategies })
 */
export class LocalStrategy implements Strategy {
  readonly usernameField: string
  readonly passwordField: string
  readonly entityUsernameField: string
  readonly entityPasswordField: string
  /**
   * Are called with a user whose password was right. They throw if the user may not log in.
   * @internal
   */
  readonly userChecks: ((user: UserRecord) => void)[] = []
  readonly #options: LocalOptions
  readonly #normalize: (name: string) => string
  #hasWarned = false
  #authentication!: Authenticator

  constructor(options: LocalOptions = {}) {
    const { usernameField: username = 'email', passwordField = 'password' } = options
    const { name: usernameField, normalize = asSent } = typeof username === 'string' ? { name: username } : username
    this.#normalize = normalize === 'lowercase' ? lowercase : normalize
    this.usernameField = usernameField
    this.passwordField = passwordField
    this.entityUsernameField = options.entityUsernameField ?? usernameField
    this.entityPasswordField = options.entityPasswordField ?? passwordField
    this.#options = options
  }

  /** How the service of users has to store the fields that this strategy compares. */
  get storedCredentials(): StoredCredentials {
    return {
      passwordField: this.entityPasswordField,
      hashes: this.#options.hash !== false,
      usernameField: this.entityUsernameField,
      normalize: this.#normalize
    }
  }

  /** @throws when there are no users, or the option `bcrypt` needs a library that is missing */
  async setup(authentication: Authenticator, name: string): Promise<void> {
    this.#authentication = authentication
    authentication.entities.require('find', name)
    const { bcrypt } = this.#options
    if (bcrypt) authentication.passwords.add(await createBcrypt(bcrypt))
  }

  /** Returns the query that finds a user by name. Override it to let only some log in. */
  getEntityQuery(query: Query, _params: Params): Query | Promise<Query> {
    return { ...query, $limit: 1 }
  }

  async authenticate(request: AuthenticationRequest, params: Params): Promise<StrategyResult> {
    const name = this.nameIn(request)
    const { [this.passwordField]: password } = request
    if (name === undefined || !isShortText(password)) throw invalidLogin()
    const { passwords } = this.#authentication
    const user = await this.findUser(name, params)
    const stored = user?.[this.entityPasswordField]
    this.#warnOfPlainText(stored)
    // Without a user, a password is verified too: the time must not reveal which users exist.
    if (!(await passwords.verify(password, stored)) || user === undefined) throw invalidLogin()
    for (const check of this.userChecks) check(user)
    if (this.#options.rehash && passwords.isOutdated(String(stored))) await this.#replaceHash(user, password, params)
    return { [String(this.#authentication.entities.name)]: user }
  }

  /**
   * Returns the user name in data of a client, in the spelling of stored names. `undefined` if it
   * can't be one.
   * @internal
   */
  nameIn(data: unknown): string | undefined {
    const name: unknown = Object(data)[this.usernameField]
    return isShortText(name) ? this.#normalize(name) : undefined
  }

  /**
   * Returns the user whom a login with this name finds, `undefined` if there is none.
   * @internal
   */
  async findUser(name: string, params: Params): Promise<UserRecord | undefined> {
    const query = await this.getEntityQuery({ [this.entityUsernameField]: name }, params)
    return this.#authentication.entities.find(query, params)
  }

  describe(): StrategyDescription {
    const password = { type: 'string', format: 'password' }
    return { login: { [this.usernameField]: { type: 'string' }, [this.passwordField]: password } }
  }

  /** Logs once that a user has a password that is not hashed, by which nobody can log in. */
  #warnOfPlainText(stored: unknown): void {
    if (this.#hasWarned || typeof stored !== 'string' || stored === '' || looksHashed(stored)) return
    this.#hasWarned = true
    const { entities: users, log } = this.#authentication
    const location = `'${this.entityPasswordField}' of the service '${users.serviceName}'`
    log(
      `A user has a text in ${location} that is no hash, and can't log in: hash what is stored, and look for what has stored it`,
      undefined
    )
  }

  async #replaceHash(user: UserRecord, password: string, params: Params): Promise<void> {
    try {
      const { entities: users, passwords } = this.#authentication
      const field = this.entityPasswordField
      // Replaces only the verified hash: the password may have been changed in the meantime.
      await changeUser(users, user, field, { [field]: await passwords.hash(password) }, params)
    } catch (error) {
      this.#authentication.log('The hash of a password could not be replaced', error)
    }
  }
}
