import { types } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { RegisteredService } from '../../types/fastify.js'
import type { Id, Params, Query, Service } from '../../types/service.js'
import type { Describable } from '../core/description.js'
import { attempt, toServiceError } from '../core/errors.js'
import { noteLogin, toView } from '../core/logins.js'
import { isPlain } from '../core/objects.js'
import { joinPath } from '../core/path.js'
import { serviceHostOf } from '../core/plugin-state.js'
import { redactError, redactFields } from '../core/redact.js'
import { metaOf, type RecordView } from '../core/service-meta.js'
import { protect } from './protect.js'

/** A user, or any other record that logs in. */
export type UserRecord = Record<string, unknown>

export interface UserOptions {
  /** The name of the service that holds the users. Default `'users'`. */
  service?: string
  /**
   * The name of the user in params and results. Default `'user'`. `null`: tokens belong to no
   * users.
   */
  entity?: string | null
  /**
   * The property that holds the id of a user. Default: the one that the service names in `id`, or
   * `'id'`.
   */
  entityId?: string
}

type UserService = Required<Service<UserRecord>> & { readonly id?: unknown }

/** The users of an authentication, which it finds through their service. */
export class Users {
  /** The name of the user in params and results. `null` if tokens belong to no users. */
  readonly name: string | null
  /** The name of their service, as in the option. */
  readonly serviceName: string
  /** The path of their service under the prefix of the instance. */
  readonly path: string
  readonly #app: FastifyInstance
  /** The option `entityId`. */
  readonly #id: string | undefined
  #secrets: ReadonlySet<string>
  #service: RegisteredService<UserService> | undefined

  /** @param secrets the fields of a user that never leave the server */
  constructor(
    app: FastifyInstance,
    { service = 'users', entity = 'user', entityId }: UserOptions,
    secrets: readonly string[]
  ) {
    this.#app = app
    this.name = entity
    this.serviceName = service
    this.path = joinPath(app.prefix, service)
    this.#id = entityId
    this.#secrets = new Set(secrets)
  }

  /** The possible paths of their service: under the prefix of the instance, or at the root. */
  get paths(): string[] {
    return [this.path, joinPath(this.serviceName)]
  }

  /** @throws when their service is not registered */
  get service(): RegisteredService<UserService> {
    if (this.#service !== undefined) return this.#service
    try {
      return this.#app.service<UserService>(this.serviceName)
    } catch (cause) {
      throw new Error(
        `Authentication has no service '${this.serviceName}' to find users in: register it, name another one in the option \`service\`, or set \`entity\` to null`,
        { cause }
      )
    }
  }

  /**
   * Calls back with their service as soon as it is registered, because the server may store users
   * before the start. That of another framework has its own hooks, and is left out.
   */
  onService(callback: (service: RegisteredService) => void): void {
    if (this.name === null) return
    const host = serviceHostOf(this.#app)
    const onEntry = ({ path, object, service }: Describable) => {
      if (this.paths.includes(path) && metaOf(object).mounted === undefined) callback(service as RegisteredService)
    }
    for (const entry of host.entries) onEntry(entry)
    host.onService.push(onEntry)
  }

  /**
   * Protects the secrets in their service.
   * @param isNeeded whether tokens belong to users
   * @throws when the service is needed and not registered
   */
  setup(isNeeded: boolean): void {
    if (this.name === null) return
    const service = isNeeded ? this.service : attempt(() => this.service)
    if (service === undefined) return
    const meta = metaOf(service)
    meta.secrets ??= new Set()
    const { secrets: names } = meta
    const added = [...this.#secrets].filter((field) => !names.has(field))
    for (const field of added) names.add(field)
    this.#secrets = names
    this.#service = service
    if (added.length > 0) service.hooks({ around: { all: [protect(...added)] } })
  }

  /** @throws when there are no users, or their service lacks a method that a strategy needs */
  require(method: 'find' | 'get', strategy: string): void {
    if (this.name === null)
      throw new Error(`The strategy '${strategy}' needs users: set the option \`entity\` of authentication`)
    if (typeof this.service[method] !== 'function')
      throw new Error(`The strategy '${strategy}' needs the method '${method}' of the service '${this.serviceName}'`)
  }

  /** Redacts the secrets of a user, also for the server itself. */
  redact(user: unknown): unknown {
    return redactFields(user, [...this.#secrets], types)
  }

  /** Redacts the secrets of users in an error, and the fields that their service hides. */
  redactError(error: unknown): unknown {
    if (this.name === null) return error
    const redacted = redactError(error, [...this.#secrets], types)
    return this.#view?.redactError(redacted) ?? redacted
  }

  async find(query: Query, params: Params): Promise<UserRecord | undefined> {
    const result = await this.service.find(toInternal(params, { paginate: false, query }))
    return Array.isArray(result) ? result[0] : result.data[0]
  }

  /**
   * Returns the user with an id, `undefined` if there is none.
   * @param id the id of a token is a text, whatever type it has in the database
   */
  async get(id: Id, params: Params): Promise<UserRecord | undefined> {
    // A database may take an object for an operator, and a list for several ids.
    if (id === undefined || id === null || Array.isArray(id) || isPlain(id)) return undefined
    try {
      const user = await this.service.get(id, toInternal(params, { query: {} }))
      // A service may find something else under a name such as `__proto__`.
      return String(this.idIn(user)) === String(id) ? user : undefined
    } catch (error) {
      // An id that no user can have, such as a text where ids are numbers, is a bad request.
      // Nothing else of this call can be.
      if ([400, 404].includes(toServiceError(error).code)) return undefined
      throw error
    }
  }

  /**
   * Returns a user as `GET` answers them to themselves.
   * @param maker the authentication that has verified the user
   */
  async getExternal(user: unknown, params: Params, maker: object): Promise<UserRecord> {
    const { authentication, ...rest } = params
    const values = { [String(this.name)]: user, authenticated: true }
    const id = this.idOf(user)
    const internalParams = { ...rest, ...values, ...noteLogin(params, { maker, values }), ...toView(this.service, id) }
    try {
      const record = await this.#getAsClient(id, { ...internalParams, query: {} })
      return this.#view === undefined ? record : (this.#view.project(record) as UserRecord)
    } catch (error) {
      throw this.redactError(error)
    }
  }

  /**
   * Calls `get` with the hooks of all services, which calls of the server to a mounted service don't
   * run, and returns the result for clients. A mounted service may offer clients no `get`.
   */
  async #getAsClient(id: Id, params: Params): Promise<UserRecord> {
    const { service } = this
    const method = serviceHostOf(this.#app)
      .entries.find((entry) => entry.service === service)
      ?.methods.get('get')
    if (method === undefined) return service.get(id, params)
    const context = method.context([id, params])
    await method.run(context)
    return (context.dispatch === undefined ? context.result : context.dispatch) as UserRecord
  }

  /** Returns the id of a user. @throws when it has none */
  idOf(user: unknown): Id {
    const id = this.idIn(user)
    if (id !== undefined && id !== null) return id
    throw new Error(
      `A user of the service '${this.serviceName}' has no '${this.#idField}': name its id in the option \`entityId\` of authentication`
    )
  }

  idIn(user: unknown): Id | null | undefined {
    return (user as Record<string, Id> | null | undefined)?.[this.#idField]
  }

  /** Their fields for clients, if a schema says which. A strategy without tokens needs no service. */
  get #view(): RecordView | undefined {
    return this.#service && metaOf(this.#service).view
  }

  /** Read anew each time: a service may know its `id` only when it is set up or connected. */
  get #idField(): string {
    if (this.#id !== undefined) return this.#id
    // Without a service, a strategy may find users by itself.
    const { id }: Partial<UserService> = this.#service ?? attempt(() => this.service) ?? {}
    return typeof id === 'string' ? id : 'id'
  }
}

/** Returns the params for a call of the server itself, which needs no credentials. */
function toInternal({ provider, authentication, authenticated, ...params }: Params, replacements: Params): Params {
  return Object.assign(params, replacements)
}
