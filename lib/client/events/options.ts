import type { ClientParams } from '../../../types/client.js'
import type { ServiceAddons } from '../../../types/hooks.js'
import type { InternalOptions } from '../message.js'
import type { Connection } from '../rest.js'
import type { Signal } from './messages.js'
import type { StreamFetch } from './stream.js'

/** Options of `events()` of the client. */
export interface ClientEventsOptions {
  /** The path of the stream on the server. Default `'events'`. */
  path?: string
  /**
   * A `fetch` whose answers have a body that can be read as it comes. Default: the one that the
   * connection was given, or else the global one.
   */
  fetch?: StreamFetch
  /**
   * Whether tabs of a page, of the same user, share one stream. `false` where tabs may have
   * credentials of their own in another header than `Authorization`. Default `true`.
   */
  tabs?: boolean
  /**
   * How often a server is expected to give a sign of life, until it says that itself, in ms.
   * Default 20,000.
   */
  heartbeat?: number
  /** Gets warnings for developers. Default: the console. `false` turns it off. */
  logger?: { warn(text: string): unknown } | false
}

/**
 * `live`: all is heard. `stale`: it is not, and tried again. `stopped`: the server refuses. `idle`:
 * nobody listens. `closed`: by `close()`.
 */
export type EventsState = 'idle' | 'connecting' | 'live' | 'stale' | 'stopped' | 'closed'

/**
 * A subscriber of a list. Its listener gets the messages of the stream, and `user` after the user
 * has changed.
 */
export interface Watcher {
  readonly service: ServiceAddons & { readonly name?: unknown }
  hear(signal: Signal): void
}

/** The part of an application that `events` uses and extends. */
export interface EventsApp {
  readonly rest?: unknown
  readonly connection?: Connection
  service(path: string): unknown
  on(event: string, listener: (...args: unknown[]) => unknown): unknown
}

type AskParams = ClientParams & { '~client'?: InternalOptions }

/** The call that asks for the stream, as its hooks get it. */
export interface HookedCall {
  readonly params: AskParams
  result?: unknown
}

export interface HookedService {
  hooks(options: { before: { find: ((context: HookedCall) => void)[] } }): unknown
  find(params: AskParams): Promise<unknown>
}
