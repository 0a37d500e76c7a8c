import type { FastifyInstance } from 'fastify'
import { attempt } from '../core/errors.js'
import { pluginState } from '../core/plugin-state.js'
import { commitOf } from '../database/commit.js'
import { digestOf, userKey } from './callers.js'
import type { EventServer } from './server.js'

/** How often a user is rechecked at once per heartbeat after changes of the same fields. */
const maxRechecksAtOnce = 5
/** In ms, the pause between two entries of a shared log, which tell other processes of all changes. */
const tellPause = 50

/** Rechecks users whose records change or go, by the events of their services. */
export function recheckChangedUsers(app: FastifyInstance, server: EventServer): void {
  const changes = new UserChanges(server)
  const timer = setInterval(() => changes.beat(), server.streams.heartbeat).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    changes.close()
  })
  app.addHook('onReady', async () => {
    for (const { users } of pluginState(app).authentications ?? []) {
      // Without a service of users, a strategy finds them by itself.
      const service = attempt(() => users.service)
      for (const event of ['updated', 'patched', 'removed'])
        service?.on(event, async (record, context) => {
          const { id, params, data } = Object(context) as { id?: unknown; params?: unknown; data?: unknown }
          // Before the commit, the rules would read the old record.
          if ((await commitOf(params)) === false) return
          const fields = event === 'removed' ? undefined : changedFields(data)
          // `entityId` may name another field than `id`.
          const keys = [record, attempt(() => users.idOf(record)), id].map((part) => attempt(() => userKey(part)))
          for (const user of new Set(keys)) if (user !== undefined) changes.add(user, fields)
        })
    }
  })
}

/** Returns a key of the fields that a call has sent. */
const changedFields = (data: unknown) => digestOf(JSON.stringify(Object.keys(Object(data)).sort()), 22)

/**
 * The changes of users. An application may write to a user at each call, and so at each recheck, as
 * with `lastSeen`: such frequent changes wait for the next heartbeat. Changes of other fields don't
 * wait, since one of them may be the role.
 */
class UserChanges {
  readonly #server: EventServer
  /** How often each user was rechecked since the last heartbeat, by the fields that have changed. */
  #counts = new Map<string, number>()
  /** The users that wait for the next heartbeat, by the keys of `#counts`. */
  #waiting = new Map<string, string>()
  /** The changed users of this turn: one call may change many. */
  readonly #due = new Set<string>()
  /** The users of whom the other processes have not heard. */
  readonly #untold = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(server: EventServer) {
    this.#server = server
  }

  /** @param fields the key of the fields that have changed; `undefined` if the user was removed */
  add(user: string, fields: string | undefined): void {
    const key = `${fields} ${user}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    if (fields !== undefined && count > maxRechecksAtOnce) this.#waiting.set(key, user)
    else this.#recheck(user)
  }

  /** Rechecks the users that wait. */
  beat(): void {
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#counts = new Map([...waiting.keys()].map((key) => [key, maxRechecksAtOnce]))
    for (const user of waiting.values()) this.#recheck(user)
  }

  /** Tells the other processes of all that waits. */
  close(): void {
    this.beat()
    clearTimeout(this.#timer)
    this.#tell()
    clearTimeout(this.#timer)
  }

  #recheck(user: string): void {
    if (this.#due.size === 0) queueMicrotask(() => this.#flush())
    this.#due.add(user)
    this.#untold.add(user)
  }

  #flush(): void {
    const users = [...this.#due]
    this.#due.clear()
    if (this.#timer === undefined) this.#tell()
    void this.#server.streams.recheck(users)
  }

  #tell(): void {
    this.#timer = undefined
    if (this.#untold.size === 0) return
    this.#server.tellRecheck([...this.#untold])
    this.#untold.clear()
    this.#timer = setTimeout(() => this.#tell(), tellPause).unref()
  }
}
