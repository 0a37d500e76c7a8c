import { types } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { RegisteredService } from '../../types/fastify.js'
import type { Id, Params, Query, Service } from '../../types/service.js'
import { attempt, toServiceError } from '../core/errors.js'
import { noteLogin, toView } from '../core/logins.js'
import { isPlain } from '../core/objects.js'
import { joinPath } from '../core/path.js'
import { redactError, redactFields } from '../core/redact.js'
import { metaOf } from '../core/service-meta.js'
import { protect } from './protect.js'

/** A user, or whatever else logs in. */
export type Entity = Record<string, unknown>

export interface EntityOptions {
  /** The name of the service that holds the users. Default `'users'`. */
  service?: string
  /**
   * The name under which a user stands in params and results. Default `'user'`. `null`: tokens
   * stand for no users.
   */
  entity?: string | null
  /**
   * The property that holds the id of a user. Default: the one that the service names in `id`, or
   * `'id'`.
   */
  entityId?: string
}

type UserService = Required<Service<Entity>> & { readonly id?: unknown }

/** The users that tokens stand for. */
export class Entities {
  readonly name: string | null
  /** The path of their service under the prefix of the instance. */
  readonly path: string
  readonly #app: FastifyInstance
  readonly #service: string
  readonly #id: string | undefined
  #secrets: ReadonlySet<string>
  #usersService: RegisteredService<UserService> | undefined
  /** Known as soon as their service is. */
  #idField: string | undefined

  /** @param secrets the fields of a user that never leave the server */
  constructor(
    app: FastifyInstance,
    { service = 'users', entity = 'user', entityId }: EntityOptions,
    secrets: readonly string[]
  ) {
    this.#app = app
    this.path = joinPath(app.prefix, service)
    this.name = entity
    this.#service = service
    this.#id = entityId
    this.#secrets = new Set(secrets)
  }

  /** The name of their service, as the option has it. */
  get serviceName(): string {
    return this.#service
  }

  /** Where their service may stand: under the prefix of the instance, or at the root. */
  get paths(): string[] {
    return [this.path, joinPath(this.#service)]
  }

  /** The service that holds them. @throws when it is not registered */
  get service(): RegisteredService<UserService> {
    if (this.#usersService !== undefined) return this.#usersService
    try {
      return this.#app.service<UserService>(this.#service)
    } catch (cause) {
      throw new Error(
        `Authentication has no service '${this.#service}' to find users in: register it, name another one in the option \`service\`, or set \`entity\` to null`,
        { cause }
      )
    }
  }

  /**
   * Makes their service keep the secrets from leaving.
   * @param isNeeded whether tokens stand for users
   * @throws when it is needed, and there is none
   */
  setup(isNeeded: boolean): void {
    if (this.name === null) return
    const service = isNeeded ? this.service : attempt(() => this.service)
    if (service === undefined) return
    const facts = metaOf(service)
    facts.secrets ??= new Set()
    const { secrets: names } = facts
    const added = [...this.#secrets].filter((field) => !names.has(field))
    for (const field of added) names.add(field)
    this.#secrets = names
    this.#usersService = service
    this.#idField = this.#idName
    if (added.length > 0) service.hooks({ around: { all: [protect(...added)] } })
  }

  /** @throws when there are no users, or their service lacks a method that a strategy needs */
  require(method: 'find' | 'get', strategy: string): void {
    if (this.name === null)
      throw new Error(`The strategy '${strategy}' needs users: set the option \`entity\` of authentication`)
    if (typeof this.service[method] !== 'function')
      throw new Error(`The strategy '${strategy}' needs the method '${method}' of the service '${this.#service}'`)
  }

  /** A user without the secrets, also as the server itself sees them. */
  withoutSecrets(entity: unknown): unknown {
    return redactFields(entity, [...this.#secrets], types)
  }

  /** An error without the secrets of users in what it tells a client. */
  errorWithoutSecrets(error: unknown): unknown {
    return this.name === null ? error : redactError(error, [...this.#secrets], types)
  }

  /** The first user that a query selects. */
  async find(query: Query, params: Params): Promise<Entity | undefined> {
    const result = await this.service.find(toInternal(params, { paginate: false, query }))
    return Array.isArray(result) ? result[0] : result.data[0]
  }

  /**
   * The user with an id, `undefined` when there is none. A token has the id as a text, a row of
   * another table as its database gives it.
   */
  async get(id: Id, params: Params): Promise<Entity | undefined> {
    // A database may take an object for an operator, and a list for several ids.
    if (id === undefined || id === null || Array.isArray(id) || isPlain(id)) return undefined
    try {
      const entity = await this.service.get(id, toInternal(params, { query: {} }))
      // A service may find something else under a name such as `__proto__`.
      return String(this.idIn(entity)) === String(id) ? entity : undefined
    } catch (error) {
      // What can't be the id of any user, as text where ids are numbers, is refused as bad: it is
      // all that was asked.
      if ([400, 404].includes(toServiceError(error).code)) return undefined
      throw error
    }
  }

  /**
   * A user as they see themselves over HTTP.
   * @param maker the authentication that has found out who it is
   */
  async getExternal(entity: unknown, params: Params, maker: object): Promise<Entity> {
    const { authentication, ...rest } = params
    const values = { [String(this.name)]: entity, authenticated: true }
    const id = this.idOf(entity)
    const internalParams = { ...rest, ...values, ...noteLogin(params, { maker, values }), ...toView(this.service, id) }
    return this.service.get(id, { ...internalParams, query: {} })
  }

  /** @throws when a user has no id */
  idOf(entity: unknown): Id {
    const id = this.idIn(entity)
    if (id !== undefined && id !== null) return id
    throw new Error(
      `A user of the service '${this.#service}' has no '${this.#idName}': name its id in the option \`entityId\` of authentication`
    )
  }

  get #idName(): string {
    // Users may be those of a strategy alone.
    const { id }: Partial<UserService> = attempt(() => this.service) ?? {}
    return this.#id ?? (typeof id === 'string' ? id : 'id')
  }

  /** The id of a user, `undefined` or `null` where there is none. */
  idIn(entity: unknown): Id | null | undefined {
    return (entity as Record<string, Id> | null | undefined)?.[this.#idField ?? this.#idName]
  }
}

/** The params of a call of the server, which needs no credentials, with others of its own. */
function toInternal({ provider, authentication, authenticated, ...params }: Params, replacements: Params): Params {
  return Object.assign(params, replacements)
}
