import type { FastifyInstance } from 'fastify'
import type { RegisteredService } from '../../types/fastify.js'
import type { Id, Params, Query, Service } from '../../types/service.js'
import { toServiceError } from '../core/errors.js'
import { protect } from './protect.js'
import { errorWithout } from './protected-error.js'
import { without } from './without.js'

/** A user, or what else logs in. */
export type Entity = Record<string, unknown>

export interface EntityOptions {
  /** The name of the service that holds the users. Default `'users'`. */
  service?: string
  /** The name under which a user stands in params and results. Default `'user'`. `null`: tokens stand for no users. */
  entity?: string | null
  /** The property that holds the id of a user. Default: that which the service names in `id`, or `'id'`. */
  entityId?: string
}

// The fields of the users of a service that never leave, whichever authentication service names them.
const secrets = new WeakMap<object, Set<string>>()

/** The users that tokens stand for. */
export class Entities {
  readonly name: string | null
  readonly #app: FastifyInstance
  readonly #service: string
  readonly #id: string | undefined
  readonly #secretFields: readonly string[]

  constructor(
    app: FastifyInstance,
    { service = 'users', entity = 'user', entityId }: EntityOptions,
    secretFields: readonly string[]
  ) {
    this.#app = app
    this.name = entity
    this.#service = service
    this.#id = entityId
    this.#secretFields = secretFields
  }

  /** The service that holds them. @throws when it is not registered */
  get service(): RegisteredService<Required<Service<Entity>>> {
    try {
      return this.#app.service<Required<Service<Entity>>>(this.#service)
    } catch (cause) {
      throw new Error(
        `Authentication has no service '${this.#service}' to find users in: register it, name another one in the option \`service\`, or set \`entity\` to null`,
        { cause }
      )
    }
  }

  /** Keeps the passwords from leaving. @throws when there is no service of users */
  setup(): void {
    if (this.name === null) return
    const { service } = this
    const known = secrets.get(service) ?? new Set()
    secrets.set(service, known)
    const added = this.#secretFields.filter((field) => !known.has(field))
    for (const field of added) known.add(field)
    if (added.length > 0) service.hooks({ around: { all: [protect(...added)] } })
  }

  /** @throws when there are no users, or their service lacks a method that a strategy needs */
  require(method: 'find' | 'get', strategy: string): void {
    if (this.name === null)
      throw new Error(`The strategy '${strategy}' needs users: set the option \`entity\` of authentication`)
    if (typeof this.service[method] !== 'function')
      throw new Error(`The strategy '${strategy}' needs the method '${method}' of the service '${this.#service}'`)
  }

  /** A user without what never leaves. */
  withoutSecrets(entity: Entity): Entity {
    return without(entity, this.#secrets) as Entity
  }

  /** The first that a query selects. */
  async find(query: Query, params: Params): Promise<Entity | undefined> {
    const found = await this.#ask(() => this.service.find({ ...internal(params), paginate: false, query }))
    return Array.isArray(found) ? found[0] : found.data[0]
  }

  /** The one with an id, as the server sees it. `undefined` when it is there no more. */
  async get(id: string, params: Params): Promise<Entity | undefined> {
    try {
      const entity = await this.#ask(() => this.service.get(id, { ...internal(params), query: {} }))
      // A service may find something else under a name such as `__proto__`.
      return String(this.#read(entity)) === id ? entity : undefined
    } catch (error) {
      if (toServiceError(error).code === 404) return undefined
      throw error
    }
  }

  /** The same one as its own user sees it over HTTP. */
  async getExternal(entity: Entity, params: Params): Promise<Entity> {
    const own = {
      ...internal(params),
      [String(this.name)]: entity,
      authenticated: true,
      provider: params.provider as string
    }
    return this.service.get(this.idOf(entity), { ...own, query: {} })
  }

  /** @throws when the id of an entity is not found */
  idOf(entity: Entity): Id {
    const id = this.#read(entity)
    if (id !== undefined && id !== null) return id
    throw new Error(
      `A user of the service '${this.#service}' has no '${this.#idName}': name its id in the option \`entityId\` of authentication`
    )
  }

  get #secrets(): readonly string[] {
    return [...(secrets.get(this.service) as Set<string>)]
  }

  /** A call of the server, whose error leaves through whatever service asks who calls. */
  async #ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw errorWithout(error, this.#secrets)
    }
  }

  get #idName(): string {
    const { id } = this.service as { id?: unknown }
    return this.#id ?? (typeof id === 'string' ? id : 'id')
  }

  #read(entity: Entity | null | undefined): Id | null | undefined {
    return entity?.[this.#idName] as Id | null | undefined
  }
}

// A call of the server: it needs no token, and is not asked for one.
function internal({ provider, authentication, authenticated, ...params }: Params): Params {
  return params
}
