import type { FastifyInstance } from 'fastify'
import { attempt } from '../core/errors.js'
import { pluginState } from '../core/plugin-state.js'
import { commitOf } from '../database/commit.js'
import { digestOf, userKey } from './callers.js'
import type { EventServer } from './server.js'

/** How often a user is rechecked at once per heartbeat after changes of the same fields. */
const maxRechecksAtOnce = 5
/** How many entries of a shared log tell at once, per heartbeat, of changes of the same fields. */
const maxEntries = 50
/** In ms: how long further changes of these fields wait for each other, to be one entry. */
const joinTime = 200

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
          for (const user of new Set(keys)) if (user !== undefined) changes.add({ user, fields })
        })
    }
  })
}

/** Returns a key of the fields that a call has sent. */
const changedFields = (data: unknown) => digestOf(JSON.stringify(Object.keys(Object(data)).sort()), 22)

interface UserChange {
  readonly user: string
  /** The key of the fields that have changed; `undefined` if the user was removed. */
  readonly fields: string | undefined
}

/**
 * The changes of users. An application may write to a user at each call, and so at each recheck, as
 * with `lastSeen`: such frequent changes wait for the next heartbeat. Changes of other fields don't
 * wait, since one of them may be the role.
 */
class UserChanges {
  readonly #server: EventServer
  /** Since the last heartbeat: changes of the same fields of a user, and entries about fields. */
  readonly #counts = new Map<string, number>()
  readonly #waiting = new Map<string, UserChange>()
  /** The changes of this turn: one call may change many users. */
  readonly #due: UserChange[] = []
  /** The users of whom the other processes have not heard. */
  readonly #untold = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(server: EventServer) {
    this.#server = server
  }

  add(change: UserChange): void {
    const { user, fields } = change
    const key = `${fields} ${user}`
    if (fields !== undefined && this.#count(key) > maxRechecksAtOnce) this.#waiting.set(key, change)
    else this.#recheck(change)
  }

  /** Rechecks the users that wait. */
  beat(): void {
    this.#counts.clear()
    for (const [key, change] of this.#waiting) {
      this.#counts.set(key, maxRechecksAtOnce)
      this.#recheck(change)
    }
    this.#waiting.clear()
  }

  /** Tells the other processes of all that waits. */
  close(): void {
    this.beat()
    this.#tell()
  }

  #count(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    return count
  }

  #recheck(change: UserChange): void {
    if (this.#due.length === 0) queueMicrotask(() => this.#flush())
    this.#due.push(change)
    this.#untold.add(change.user)
  }

  #flush(): void {
    const changes = this.#due.splice(0)
    const fields = new Set(changes.map((change) => change.fields))
    if ([...fields].some((key) => key === undefined || this.#count(key) <= maxEntries)) this.#tell()
    else this.#timer ??= setTimeout(() => this.#tell(), joinTime).unref()
    void this.#server.streams.recheck([...new Set(changes.map(({ user }) => user))])
  }

  #tell(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#untold.size > 0) this.#server.tellRecheck([...this.#untold])
    this.#untold.clear()
  }
}
