import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params, Query } from '../../../types/service.js'
import { NotAuthenticated, readProperty } from '../../core/errors.js'
import { metaOf } from '../../core/service-meta.js'
import { type Bcrypt, createBcrypt } from '../bcrypt.js'
import type { Entity } from '../entities.js'
import { isHashed, isShortText, replacedHash } from '../password.js'
import { asSent, looksHashed, lowercase, type StoredCredentials } from '../stored-credentials.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../strategy.js'

export interface LocalOptions {
  /**
   * The field of a login that holds the name of the user, or that with the one spelling in which
   * names are stored and compared: `'lowercase'` (trimmed, NFC), or a function. Default `'email'`,
   * as it was sent.
   */
  usernameField?: string | UsernameField
  /** The field of a login that holds the password. Default `'password'`. */
  passwordField?: string
  /** The field of a user that holds the name. Default: `usernameField`. */
  entityUsernameField?: string
  /** The field of a user that holds the hash of the password. Default: `passwordField`. */
  entityPasswordField?: string
  /**
   * Whether bcrypt hashes are verified: `true` for the optional peer `bcryptjs`, or a library that
   * has `compare`. Default `false`.
   */
  bcrypt?: boolean | Bcrypt
  /**
   * Whether the service of users hashes passwords before it stores them, unless a hook has done so.
   * Default `true`.
   */
  hash?: boolean
  /**
   * Whether a login replaces a hash of another kind, or with older settings, by `patch` of the
   * users. Default `false`.
   */
  rehash?: boolean
}

/** A field for user names. */
export interface UsernameField {
  name: string
  normalize?: 'lowercase' | ((name: string) => string)
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

  /** What the service of users does to store what this strategy compares with. */
  get storedCredentials(): StoredCredentials {
    return {
      passwordField: this.entityPasswordField,
      hashes: this.#options.hash !== false,
      usernameField: this.entityUsernameField,
      normalize: this.#normalize
    }
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
    const query = await this.getEntityQuery({ [this.entityUsernameField]: this.#normalize(username) }, params)
    const entity = await entities.find(query, params)
    const stored = entity?.[this.entityPasswordField]
    this.#warnOf(stored)
    // A password is also verified where there is no user: the time must not tell which users exist.
    if (!(await passwords.verify(password, stored)) || entity === undefined) throw invalid()
    if (this.#options.rehash && passwords.isOutdated(String(stored))) await this.#rehash(entity, password, params)
    return { [String(entities.name)]: entity }
  }

  describe(): StrategyDescription {
    const password = { type: 'string', format: 'password' }
    return { login: { [this.usernameField]: { type: 'string' }, [this.passwordField]: password } }
  }

  /**
   * Tells once of users whose password is no hash: nobody can log in by it, and it should not be
   * there.
   */
  #warnOf(stored: unknown): void {
    if (this.#hasWarned || typeof stored !== 'string' || stored === '' || looksHashed(stored)) return
    this.#hasWarned = true
    const { entities, log } = this.#authentication
    const place = `'${this.entityPasswordField}' of the service '${entities.serviceName}'`
    log(
      `A user has a text in ${place} that is no hash, and can't log in: hash what is stored, and look for what has stored it`,
      undefined
    )
  }

  async #rehash(entity: Entity, password: string, params: Params): Promise<void> {
    const { entities, passwords, log } = this.#authentication
    const field = this.entityPasswordField
    try {
      const data = { [field]: await passwords.hash(password) }
      // Only the hash that was verified is replaced: the password may have been changed in the
      // meantime.
      const condition = { [field]: entity[field] }
      const { provider, authentication, ...rest } = params
      const patch = (more: object) =>
        entities.service.patch(entities.idOf(entity), data, { ...rest, [isHashed]: true, ...more })
      try {
        await patch({ query: condition })
      } catch (error) {
        const isRefused = readProperty(error, 'code') === 400 && metaOf(entities.service).preparedFor !== undefined
        if (!isRefused) throw error
        // Hooks of the application may refuse to be asked for passwords: the query gets the
        // condition after them.
        await patch({ query: {}, [replacedHash]: () => condition })
      }
    } catch (error) {
      log('The hash of a password could not be replaced', error)
    }
  }
}
