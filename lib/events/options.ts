import type { Params } from '../../types/service.js'
import { checkOptions, inspect, kinds, type OptionKind, type OptionTable } from '../core/options.js'
import type { EventLog } from './log.js'

/** What the door tells of one service. */
export interface ServiceEvents {
  /**
   * Whether events carry the record, as `get` answers it to each subscriber: it is read once for
   * each of them. Default `false`: its id.
   */
  records?: boolean
  /**
   * `'hooks'` says that what hooks make of the query of `find` is all that decides who sees which
   * records: neither its method nor a hook after it takes any out. Default: that is so for database
   * adapters of Feathers as they are, without hooks of the application after `find`; subscribers of
   * other services are told that something may have changed, and not what.
   */
  rule?: 'hooks'
  /**
   * The fields that change by themselves, by a trigger of the database for example:
   * `['updatedAt']`. Default: none.
   */
  touches?: readonly string[]
}

/** An event, for `publish`. */
export interface PublishedEvent {
  /** The path of the service. */
  readonly path: string
  readonly event: string
  readonly id: string | number | undefined
}

/** Who would get an event, for `publish`. */
export interface EventSubscriber {
  /** The list: its path as it was asked for. */
  readonly path: string
  /**
   * The params of the `find` that has asked for it: with `user`, as `Identity` says what that is,
   * where a guard has set one, and the query that the hooks have made.
   */
  readonly params: Readonly<Params>
}

export interface EventsLimits {
  /** How many streams may be open at a time. Default 10,000. */
  subscribers: number
  /**
   * How many streams one user may have open, or one address (`request.ip`) without a user. Default
   * 100.
   */
  perUser: number
  /** How many lists a stream may have: the last of more are refused. Default 50. */
  subscriptions: number
  /**
   * How many bytes may wait for a subscriber that does not read: then it gets `reset`. Default
   * 65,536.
   */
  waiting: number
  /**
   * How long a request for a stream may be: its query string, or its body. Default 16,384 bytes.
   */
  request: number
  /** How deep the query of a list may be nested. Default 5. */
  depth: number
  /** How long `publish`, or the `get` of a record, may take for an event, in ms. Default 5,000. */
  patience: number
}

export interface EventsOptions {
  /** Default `'/events'`. */
  path?: string
  /**
   * The services that are told of, by their paths: `{ notes: true, 'rooms/:roomId/messages': {
   * records: true } }`.
   */
  services: Readonly<Record<string, boolean | ServiceEvents>>
  /**
   * A second rule, which can only narrow: whether a subscriber gets an event that the rule of the
   * list lets pass. Default: all do.
   */
  publish?: (event: PublishedEvent, subscriber: EventSubscriber) => boolean | Promise<boolean>
  limits?: Partial<EventsLimits>
  /** How often an idle stream has a sign of life, in ms. Default 15,000. */
  heartbeat?: number
  /** How often the rule of a list is asked for again, in ms. Default 300,000. */
  recheck?: number
  /** How long a stream may last, in ms: its client connects again. Default 1,800,000. */
  lifetime?: number
  /** Where events are kept for those who come back. Default: `memoryLog()`. */
  log?: EventLog
  /**
   * Whether a call is answered when the log has its events, so that none is lost with a process;
   * where the log does not take them in `limits.patience`, it is 503, though what it was to do is
   * done. Default `false`: it waits for nothing, and where a process dies all subscribers read
   * anew. Calls of mounted services do not wait.
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
  patience: 5000
}

export const wholeNumber: OptionKind = [
  'a whole number above 0',
  (value) => Number.isInteger(value) && Number(value) > 0
]
// Node takes longer timers for none.
export const time: OptionKind = [
  'a time in ms, from 10 to a day',
  (value) => typeof value === 'number' && value >= 10 && value <= 86_400_000
]
const logMembers = ['append', 'newest', 'read', 'listen']
const ofEvents: OptionTable<EventsOptions> = {
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
const ofServiceEvents: OptionTable<ServiceEvents> = {
  records: kinds.flag,
  rule: ["'hooks'", (value) => value === 'hooks'],
  touches: kinds.names
}
const ofLimits = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, wholeNumber]))

const hasMethod = (value: unknown, name: string) =>
  typeof (Object(value) as Record<string, unknown>)[name] === 'function'

/**
 * Refuses what is no client of a server.
 * @param needed what is needed, in words
 * @throws {TypeError} when it lacks one of the methods
 */
export function checkClient(who: string, needed: string, client: unknown, methods: readonly string[]): void {
  if (!methods.every((name) => hasMethod(client, name)))
    throw new TypeError(`${who} needs ${needed}, got ${inspect(client)}`)
}

export const doorName = 'fastify-services/events'

/** @throws when an option is not known, or can't be used */
export function checkEventsOptions(options: Readonly<Record<string, unknown>>): void {
  checkOptions(doorName, ofEvents, options)
  const { services, limits } = options
  if (services === undefined || Object.keys(services as object).length === 0)
    throw new Error(`${doorName} needs the services that it tells of: { services: { notes: true } }`)
  checkOptions(doorName, ofLimits, { ...(limits as object) }, 'limits.')
  for (const [path, setting] of Object.entries(services as object)) {
    if (typeof setting === 'boolean') continue
    if (!kinds.object[1](setting))
      throw new TypeError(
        `The option \`services['${path}']\` of ${doorName} must be true or an object, got ${inspect(setting)}`
      )
    checkOptions(doorName, ofServiceEvents, { ...setting }, `services['${path}'].`)
  }
}
