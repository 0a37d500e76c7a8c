import type { ClientParams, FindArguments, FindResult } from '../../../types/client.js'
import type { ServiceAddons } from '../../../types/hooks.js'
import { fillPath } from '../../core/path.js'
import { toURL } from '../rest-service.js'
import { createHub } from './hub.js'
import { createLive, type LiveList } from './live.js'
import { toListKey } from './messages.js'
import type { ClientEventsOptions, EventsApp, EventsState, Watcher } from './options.js'

export type { ListSnapshot, ListState, LiveList } from './live.js'
export type { ClientEventsOptions, EventsApp, EventsState } from './options.js'
export type { StreamFetch } from './stream.js'

declare module 'fastify-services/client' {
  interface ListMembers<_S, _P> {
    /**
     * A list that stays as the server has it. It takes the params of `find`, reads when the first
     * listener comes, and again when something has changed, once a second at most.
     */
    live: _S extends { find?: unknown } ? (...args: FindArguments<_S, _P>) => LiveList<FindResult<_S>> : never
  }
  interface ClientMembers {
    /** The stream of `configure(events())`. */
    readonly events: ClientEvents
  }
}

/**
 * The stream of a client. It emits its states `live`, `stale`, `stopped`, `connecting`, `idle` and
 * `closed`, and `reset` where events were missed.
 */
export interface ClientEvents extends Omit<ServiceAddons, 'hooks'> {
  readonly state: EventsState
  /** Ends the stream and all live lists for good. After that nothing keeps a process running. */
  close(): void
}

type Extended = ServiceAddons & {
  base?: unknown
  live?: unknown
  find(params: ClientParams): Promise<unknown>
}

const listening = ['on', 'once', 'addListener', 'off', 'removeListener', 'removeAllListeners', 'emit'] as const

/**
 * Brings events of the server to the client, from `fastify-services/events` or a server of Feathers
 * 6 (docs/events.md#listen-to-events). Its services emit the events of all clients, and have `live`.
 *
 * @returns a function for `app.configure`
 * @throws in `app.configure`, if no connection is configured
 * @example
 * const app = createClient().configure(rest(address).fetch(fetch)).configure(events())
 * app.service('messages').on('created', ({ id }) => {})
 * const list = app.service('messages').live({ query: { done: false } })
 * for await (const { data, state } of list) console.log(state, data)
 */
export function events(options: ClientEventsOptions = {}): (app: EventsApp) => void {
  return (app) => {
    const { connection } = app
    if (!connection) throw new Error('events() needs a server: call configure(rest(address).fetch(fetch)) first')
    const hub = createHub(app, connection, options)
    const { service: lookUp } = app
    const extended = new WeakSet<object>()

    /** Lets a service of the connection hear, while it has listeners. */
    function extend(service: Extended, name: string): void {
      const names = new Set<string>()
      const watcher: Watcher = { service, hear() {} }
      let unwatch: (() => void) | undefined
      function update(): void {
        const isHeard = [...names].some((event) => service.listenerCount(event) > 0)
        if (isHeard) unwatch ??= hub.watch(toListKey(toURL(name), {}), watcher)
        else {
          unwatch?.()
          unwatch = undefined
        }
      }
      // Where a path has placeholders, listeners hear of the lists that are live.
      const isWhole = !/(^|\/):/.test(name)
      for (const method of isWhole ? listening : []) {
        const call = service[method] as (...args: unknown[]) => unknown
        Object.assign(service, {
          [method](...args: unknown[]) {
            const result = call(...args)
            if (method !== 'emit') names.add(args[0] as string)
            update()
            return result
          }
        })
      }
      const live = (params: ClientParams = {}): LiveList => {
        const key = toListKey(fillPath(toURL(name), params.route), params.query)
        return createLive(hub, service, key, params)
      }
      Object.assign(service, { live })
    }

    function service(path: string): unknown {
      const service = lookUp(path) as Extended
      if (service.base === hub.base && !extended.has(service)) {
        extended.add(service)
        extend(service, (service as { name?: string }).name as string)
      }
      return service
    }
    Object.assign(app, { service, events: hub.events })
  }
}
