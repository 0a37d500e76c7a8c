import type { FastifyInstance } from 'fastify'
import type { RegisteredService } from '../../types/fastify.js'
import type { Params, Query, Service } from '../../types/service.js'
import { toServiceError } from '../core/errors.js'
import { protect } from './protect.js'

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

/** The users that tokens stand for. */
export class Entities {
  readonly name: string | null
  readonly #app: FastifyInstance
  readonly #service: string
  readonly #id: string | undefined

  constructor(app: FastifyInstance, { service = 'users', entity = 'user', entityId }: EntityOptions) {
    this.#app = app
    this.name = entity
    this.#service = service
    this.#id = entityId
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

  /** Keeps fields of them from leaving. */
  protect(fields: readonly string[]): void {
    if (fields.length > 0) this.service.hooks({ around: { all: [protect(...fields)] } })
  }

  /** The first that a query selects. */
  async find(query: Query, params: Params): Promise<Entity | undefined> {
    const found = await this.service.find({ ...internal(params), paginate: false, query })
    return Array.isArray(found) ? found[0] : found.data[0]
  }

  /** The one with an id, as the server sees it. `undefined` when it is there no more. */
  async get(id: string, params: Params): Promise<Entity | undefined> {
    try {
      return (await this.service.get(id, { ...internal(params), query: {} })) ?? undefined
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
  idOf(entity: Entity): string {
    const name = this.#id ?? (this.service as { id?: unknown }).id ?? 'id'
    const id = entity[String(name)]
    if (id !== undefined && id !== null) return String(id)
    throw new Error(
      `A user of the service '${this.#service}' has no '${name}': name its id in the option \`entityId\` of authentication`
    )
  }
}

// A call of the server: it needs no token, and is not asked for one.
function internal({ provider, authentication, authenticated, ...params }: Params): Params {
  return params
}
