import { randomBytes } from 'node:crypto'
import type { StoresRecord } from '../../types/call.js'
import type { AroundHook, ServiceOptions } from '../../types/fastify.js'
import type { Id, Paginated, Params } from '../../types/service.js'
import { authenticate, own } from '../authentication/index.js'
import { authenticationOf } from '../authentication/lookup.js'
import { BadRequest } from '../core/errors.js'
import { type HookPosition, withTraits } from '../core/hooks.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { resource } from '../core/resource/resource.js'
import { checkUsers, hashOfKey } from './api-key-strategy.js'
import { objectOf } from './schemas.js'

/** An API key as its user sees it. */
export interface ApiKey {
  id: Id
  name: string
  /** The beginning of the key, by which its user recognizes it. */
  start: string
  /** An ISO 8601 time. */
  createdAt: string
  /** An ISO 8601 time, `null` if the key does not expire. */
  expiresAt: string | null
}

/**
 * The service of API keys, for `Services`.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { 'api-keys': Unpaged<ApiKeys> }
 * }
 */
export interface ApiKeys extends StoresRecord<{ userId: Id }> {
  find(params?: Params): Promise<ApiKey[] | Paginated<ApiKey>>
  get(id: Id, params?: Params): Promise<ApiKey>
  /** Returns the key itself, which is not stored: no other call returns it. */
  create(
    data: { name: string; expiresAt?: string | null | undefined },
    params?: Params
  ): Promise<ApiKey & { key: string }>
  patch(id: Id, data: { name: string }, params?: Params): Promise<ApiKey>
  remove(id: Id, params?: Params): Promise<ApiKey>
  readonly '~object'?: StoredApiKeys
}

/** The object that stores the keys: hooks add the key itself to the result of `create`. */
interface StoredApiKeys extends Pick<ApiKeys, 'find' | 'get' | 'patch' | 'remove'> {
  create(data: Parameters<ApiKeys['create']>[0], params?: Params): Promise<ApiKey>
}

/** Options of `apiKeys()`. */
export interface ApiKeysOptions {
  /** The beginning of each key: up to 20 letters, digits and `_`. Default `'sk'`. */
  prefix?: string
  /**
   * The strategies by which users log in to manage their keys. Default `['jwt']`. With that of the
   * keys among them, a stolen key could make further keys.
   */
  strategies?: readonly string[]
}

const apiKeysOptions: OptionTable<ApiKeysOptions> = {
  prefix: ["up to 20 letters, digits and '_'", (value) => typeof value === 'string' && /^\w{1,20}$/.test(value)],
  strategies: kinds.names
}

const name = { type: 'string', minLength: 1, maxLength: 100 }
const expiresAt = { type: ['string', 'null'], format: 'date-time' }
const recordFields = {
  id: { type: ['integer', 'string'] },
  name,
  start: { type: 'string' },
  createdAt: { type: 'string', format: 'date-time' },
  expiresAt
}
const createdFields = { ...recordFields, key: { type: 'string', description: 'No other answer has it.' } }

const resourceOf = (title: string, properties: object) =>
  resource(
    { title, ...objectOf(properties) },
    {
      create: objectOf({ name, expiresAt }, ['name']),
      patch: objectOf({ name }),
      lists: false,
      methods: { update: false }
    }
  )

// Records have the fields `hash` and `userId`, too. A resource neither sends nor accepts a field
// that its schema does not have, and a query can't name it.
const schemas = {
  ...resourceOf('ApiKey', recordFields),
  create: resourceOf('NewApiKey', createdFields).create
}

/**
 * Creates the options of a service of API keys: their schema and their hooks. Users create, list,
 * rename and remove their own keys. The service stores the SHA-256 hash of a key, and returns the
 * key itself once, as the result of `create`.
 *
 * @returns the last argument of `app.service`; add hooks of your own with `hooks()`
 * @throws when an option is not known or of another type; when the server starts, if an
 * authentication with other users uses the service, too
 * @example
 * app.service('api-keys', knex({ Model, name: 'api_keys' }), apiKeys())
 *
 * const { key } = await app.service('api-keys').create({ name: 'CI', userId: 1 })
 */
export function apiKeys(options: ApiKeysOptions = {}): Pick<ServiceOptions, 'schema' | 'hooks'> {
  checkOptions('apiKeys()', apiKeysOptions, options)
  const { prefix = 'sk', strategies = ['jwt'] } = options
  return {
    schema: schemas,
    hooks: { around: { all: [authenticate({ strategies }), own('userId')], create: [issueKey(prefix)] } }
  }
}

function issueKey(prefix: string): AroundHook {
  const hook: AroundHook = async (context, next) => {
    const { data, params, service } = context
    if ((data.userId ?? null) === null) throw new BadRequest("'userId' is required: the user of the key")
    const key = `${prefix}_${randomBytes(32).toString('base64url')}`
    context.data = {
      ...data,
      expiresAt: toExpiry(data.expiresAt),
      hash: hashOfKey(key),
      start: key.slice(0, prefix.length + 5),
      createdAt: new Date().toISOString()
    }
    // A `$select` would be for the table, which has no key.
    context.params = { ...params, query: {} }
    await next()
    // Listeners of the event may store the record, so they get it without the key.
    context.event = null
    service.emit('created', context.result, context)
    context.result = { ...context.result, key }
  }
  const check = ({ app, path, service }: HookPosition) => checkUsers(Object(service), path, authenticationOf(app).users)
  return withTraits(hook, { check })
}

/** Returns when a key expires, as an ISO 8601 text. @throws {BadRequest} for a time in the past */
function toExpiry(value: string | Date | null | undefined): string | null {
  if (value === undefined || value === null) return null
  const expiry = new Date(value)
  if (expiry.getTime() > Date.now()) return expiry.toISOString()
  throw new BadRequest("'expiresAt' must be a time in the future", { errors: { expiresAt: 'must be in the future' } })
}
