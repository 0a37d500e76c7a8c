import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest } from '../../types/authentication.js'
import type { RegisteredService } from '../../types/fastify.js'
import type { Id, Paginated, Params } from '../../types/service.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../authentication/index.js'
import { NotAuthenticated } from '../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { metaOf } from '../core/service-meta.js'

/** Options of `ApiKeyStrategy`. */
export interface ApiKeyStrategyOptions {
  /** The name of the service that holds the keys. Default `'api-keys'`. */
  service?: string
  /** The header with the key. Default `'X-API-Key'`. */
  header?: string
}

const strategyOptions: OptionTable<ApiKeyStrategyOptions> = { service: kinds.filled, header: kinds.filled }

/** The fields of a stored key that decide whether it is valid. */
interface StoredKey {
  readonly hash: string
  readonly userId: Id
  readonly expiresAt?: unknown
}

interface StoredKeys {
  find(params: Params): Promise<StoredKey[] | Paginated<StoredKey>>
}

/**
 * Returns the hash under which a key is stored. A key is random and long, so a fast hash without
 * salt is enough, unlike for a password.
 */
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('hex')

/**
 * Accepts callers by an API key in a header. It looks up the key and its user on every call, so a
 * removed key is refused at once, and so are the keys of a removed user. A key can't be exchanged
 * for a token.
 *
 * @throws when an option is not known or of another type; when the server starts, if the service of
 * the keys does not exist or has the keys of other users, or the service of the users has no `get`
 * @example
 * const strategies = { jwt: true, local: true, apiKey: new ApiKeyStrategy() }
 * await app.register(authentication, { secret, strategies, guard: ['jwt', 'apiKey'] })
 */
export class ApiKeyStrategy implements Strategy {
  readonly logsIn = false
  readonly #serviceName: string
  readonly #header: string
  #users!: Authenticator['entities']
  #keys!: RegisteredService<StoredKeys>

  constructor(options: ApiKeyStrategyOptions = {}) {
    checkOptions('ApiKeyStrategy', strategyOptions, options)
    const { service = 'api-keys', header = 'X-API-Key' } = options
    this.#serviceName = service
    this.#header = header
  }

  setup({ app, entities }: Authenticator, name: string): void {
    entities.require('get', name)
    this.#users = entities
    try {
      this.#keys = app.service<StoredKeys>(this.#serviceName)
    } catch (cause) {
      throw new Error(
        `The strategy '${name}' finds keys in a service with the options of apiKeys(): register it, or name it by new ApiKeyStrategy({ service: '…' }). ${(cause as Error).message}`,
        { cause }
      )
    }
    checkUsers(this.#keys, this.#serviceName, entities)
  }

  parse({ headers }: FastifyRequest): AuthenticationRequest | null {
    const accessToken = headers[this.#header.toLowerCase()]
    return accessToken === undefined ? null : { accessToken }
  }

  async authenticate({ accessToken }: AuthenticationRequest, params: Params): Promise<StrategyResult> {
    const stored = typeof accessToken === 'string' ? await this.#find(hashOfKey(accessToken), params) : undefined
    const user = stored && !isOver(stored.expiresAt) ? await this.#users.get(stored.userId, params) : undefined
    if (user === undefined) throw new NotAuthenticated('Invalid API key')
    return { [String(this.#users.name)]: user, authentication: { accessToken } }
  }

  async #find(hash: string, { transaction }: Params): Promise<StoredKey | undefined> {
    // In a transaction, a second connection may never come.
    const params = { query: { hash, $limit: 1 }, paginate: false, ...(transaction !== undefined && { transaction }) }
    const found = await this.#keys.find(params)
    const [stored] = Array.isArray(found) ? found : found.data
    // A service that ignores the query would accept any key.
    return stored?.hash === hash ? stored : undefined
  }

  describe(): StrategyDescription {
    return { security: { type: 'apiKey', in: 'header', name: this.#header } }
  }
}

/** Whether a stored time is over. Adapters return dates, numbers or texts; other values are over. */
const isOver = (time: unknown): boolean =>
  time !== undefined && time !== null && !(new Date(time as string).getTime() > Date.now())

/**
 * Checks that all keys of a service are of the same users: one with the same id would be let in by
 * a key of the other.
 * @throws when another authentication uses the service for other users
 */
export function checkUsers(keys: object, path: string, users: Authenticator['entities']): void {
  const { keyUsers: earlier = users } = metaOf(keys)
  if (earlier.service !== users.service)
    throw new Error(
      `The keys of '${path}' would be good for users of '${earlier.serviceName}' and of '${users.serviceName}': give each authentication a service of keys of its own`
    )
  metaOf(keys).keyUsers = users
}
