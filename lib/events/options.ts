import type { Params } from '../../types/service.js'
import { checkOptions, inspect, kinds, type OptionKind, type OptionTable } from '../core/options.js'
import type { EventLog } from './log.js'

/** Event options of one service. */
export interface ServiceEvents {
  /**
   * Whether events carry the record. It is read by `get` for each subscriber, with all guards and
   * hooks. Default `false`: events carry the id.
   */
  records?: boolean
  /**
   * `'hooks'` promises that the query of `find`, as hooks have made it, decides alone who sees
   * which records: neither the method nor a later hook drops any. Default: this is assumed only for
   * unchanged database adapters of Feathers without hooks of the application after `find`.
   * Subscribers of other services only learn that something may have changed.
   */
  rule?: 'hooks'
  /**
   * Fields that change by themselves, such as `['updatedAt']` by a trigger of the database.
   * Default: none.
   */
  touches?: readonly string[]
}

/** An event, as `publish` gets it. */
export interface PublishedEvent {
  /** The path of the service. */
  readonly path: string
  readonly event: string
  readonly id: string | number | undefined
}

/** The subscriber of an event, as `publish` gets it. */
export interface EventSubscriber {
  /** The path of the list, as the client has sent it. */
  readonly path: string
  /**
   * The params of `find` for this list: with the query that hooks have made, and with `user` if a
   * guard has set one.
   */
  readonly params: Readonly<Params>
}

/** The option `limits` of the plugin `events`. */
export interface EventsLimits {
  /** How many streams may be open at a time. Default 10,000. */
  subscribers: number
  /** How many streams a user may have, or an address (`request.ip`) without a user. Default 100. */
  perUser: number
  /** How many lists a stream may have. Further ones are refused. Default 50. */
  subscriptions: number
  /**
   * How many bytes may wait for a client that does not read. Then it gets `reset`. Default 65,536.
   */
  waiting: number
  /** The maximal length of a request: of its query string, or its body. Default 16,384 bytes. */
  request: number
  /** How deep the query of a list may be nested. Default 5. */
  depth: number
  /** The timeout of `publish`, and of the `get` of a record, in ms. Default 5,000. */
  timeout: number
}

/** Options of the plugin `events`. */
export interface EventsOptions {
  /** Default `'/events'`. */
  path?: string
  /**
   * The services whose events are sent, by path: `{ notes: true, 'rooms/:roomId/messages': {
   * records: true } }`.
   */
  services: Readonly<Record<string, boolean | ServiceEvents>>
  /**
   * Returns whether a subscriber gets an event that is visible to it. It can only narrow. Default:
   * all do.
   */
  publish?: (event: PublishedEvent, subscriber: EventSubscriber) => boolean | Promise<boolean>
  limits?: Partial<EventsLimits>
  /** How often a stream gets a heartbeat, in ms. Default 15,000. */
  heartbeat?: number
  /** How often the server asks again what is visible to a subscriber, in ms. Default 300,000. */
  recheck?: number
  /** How long a stream may last, in ms. Then its client connects again. Default 1,800,000. */
  lifetime?: number
  /** Keeps events for clients that come back. Default: `memoryLog()`. */
  log?: EventLog
  /**
   * Whether a call waits until its events are in the log, so that a crash loses none. If the log
   * does not take them in `limits.timeout`, the answer is 503, although the call is done. Default
   * `false`: calls do not wait, and after a crash all subscribers refetch. Calls of mounted
   * services never wait.
   */
  durable?: boolean
}

export const defaultLimits: EventsLimits = {
  subscribers: 10_000,
  perUser: 100,
  subscriptions: 50,
  waiting: 65_536,
  request: 16_384,
  depth: 5,
  timeout: 5000
}

// Node.js fires timers over 24.8 days at once.
export const time: OptionKind = [
  'a time in ms, from 10 to a day',
  (value) => typeof value === 'number' && value >= 10 && value <= 86_400_000
]
const logMembers = ['append', 'newest', 'read', 'listen']
const eventsOptions: OptionTable<EventsOptions> = {
  path: ['a path, as in `/events`', (value) => typeof value === 'string' && /^\/?[\w-]+(\/[\w-]+)*\/?$/.test(value)],
  services: ['an object, { notes: true }', kinds.object[1]],
  publish: kinds.function,
  limits: kinds.object,
  heartbeat: time,
  recheck: time,
  lifetime: time,
  durable: kinds.flag,
  log: ['a log, as `memoryLog()` makes it', (value) => logMembers.every((name) => hasMethod(value, name))]
}
const serviceEventsOptions: OptionTable<ServiceEvents> = {
  records: kinds.flag,
  rule: ["'hooks'", (value) => value === 'hooks'],
  touches: kinds.names
}
const limitsOptions = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, kinds.whole]))

const hasMethod = (value: unknown, name: string) =>
  typeof (Object(value) as Record<string, unknown>)[name] === 'function'

/**
 * Checks the client of a database that a function gets.
 *
 * @param needed the client it needs, in words
 * @throws {TypeError} if it lacks one of the methods
 */
export function checkClient(who: string, needed: string, client: unknown, methods: readonly string[]): void {
  if (!methods.every((name) => hasMethod(client, name)))
    throw new TypeError(`${who} needs ${needed}, got ${inspect(client)}`)
}

export const pluginName = 'fastify-services/events'

/** @throws {Error} if an option is unknown or invalid */
export function checkEventsOptions(options: Readonly<Record<string, unknown>>): void {
  checkOptions(pluginName, eventsOptions, options)
  const { services, limits } = options
  if (services === undefined || Object.keys(services as object).length === 0)
    throw new Error(`${pluginName} needs the services whose events it sends: { services: { notes: true } }`)
  checkOptions(pluginName, limitsOptions, { ...(limits as object) }, 'limits.')
  for (const [path, setting] of Object.entries(services as object)) {
    if (typeof setting === 'boolean') continue
    if (!kinds.object[1](setting))
      throw new TypeError(
        `The option \`services['${path}']\` of ${pluginName} must be true or an object, got ${inspect(setting)}`
      )
    checkOptions(pluginName, serviceEventsOptions, { ...setting }, `services['${path}'].`)
  }
}
