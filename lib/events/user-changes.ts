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

/**
 * Rechecks users whose records change or go, by the events of their services. An application may
 * write to a user at each call, and so at each recheck, as with `lastSeen`: such frequent changes
 * wait for the next heartbeat. Changes of other fields don't wait, since one of them may be the role.
 */
export function recheckChangedUsers(app: FastifyInstance, server: EventServer): void {
  // How often each user was rechecked since the last heartbeat, by the fields that have changed.
  let counts = new Map<string, number>()
  // The users that wait for the next heartbeat, by the keys of `counts`.
  let waiting = new Map<string, string>()
  // The changed users of this turn: one call may change many.
  const due = new Set<string>()
  // The users of whom the other processes have not heard.
  const untold = new Set<string>()
  let pause: NodeJS.Timeout | undefined

  function tell(): void {
    pause = undefined
    if (untold.size === 0) return
    server.tellRecheck([...untold])
    untold.clear()
    pause = setTimeout(tell, tellPause).unref()
  }

  function flush(): void {
    const users = [...due]
    due.clear()
    if (pause === undefined) tell()
    void server.streams.recheck(users)
  }

  function recheck(user: string): void {
    if (due.size === 0) queueMicrotask(flush)
    due.add(user)
    untold.add(user)
  }

  /** @param fields the key of the fields that have changed; `undefined` if the user was removed */
  function addChange(user: string, fields: string | undefined): void {
    const key = `${fields} ${user}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (fields !== undefined && count > maxRechecksAtOnce) waiting.set(key, user)
    else recheck(user)
  }

  function beat(): void {
    const users = waiting
    waiting = new Map()
    counts = new Map([...users.keys()].map((key) => [key, maxRechecksAtOnce]))
    for (const user of users.values()) recheck(user)
  }

  const timer = setInterval(beat, server.streams.heartbeat).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    // The other processes hear of all that waits.
    beat()
    clearTimeout(pause)
    tell()
    clearTimeout(pause)
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
          for (const user of new Set(keys)) if (user !== undefined) addChange(user, fields)
        })
    }
  })
}

const changedFields = (data: unknown) => digestOf(JSON.stringify(Object.keys(Object(data)).sort()), 22)
