import type { FastifyInstance } from 'fastify'
import { attempt } from '../core/errors.js'
import { pluginState } from '../core/plugin-state.js'
import { commitOf } from '../database/commit.js'
import { userKey } from './callers.js'
import type { EventServer } from './server.js'

/** How often a user is rechecked at once per heartbeat. */
const maxAtOnce = 5

/**
 * Rechecks users whose records change or go, by the events of their services. A hook may write to
 * the user at each call, and so at each recheck: what comes too often waits for the next heartbeat.
 */
export function recheckChangedUsers(app: FastifyInstance, server: EventServer): void {
  const counts = new Map<string, number>()
  const due = new Set<string>()
  const recheck = (key: string) => {
    // One call may change many users.
    if (due.size === 0)
      queueMicrotask(() => {
        void server.recheck([...due])
        due.clear()
      })
    due.add(key)
  }
  const onChange = (key: string, isRemoved: boolean) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (isRemoved || count <= maxAtOnce) recheck(key)
  }
  const timer = setInterval(() => {
    const waiting = [...counts].filter(([, count]) => count > maxAtOnce)
    counts.clear()
    for (const [key] of waiting) {
      counts.set(key, maxAtOnce)
      recheck(key)
    }
  }, server.streams.heartbeat).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  app.addHook('onReady', async () => {
    for (const { users } of pluginState(app).authentications ?? []) {
      // Without a service of users, a strategy finds them by itself.
      const service = attempt(() => users.service)
      for (const event of ['updated', 'patched', 'removed'])
        service?.on(event, async (user, context) => {
          const { id, params } = Object(context) as { id?: unknown; params?: unknown }
          // Before the commit, the rules would read the old record.
          if ((await commitOf(params)) === false) return
          // `entityId` may name another field than `id`.
          const keys = [user, attempt(() => users.idOf(user)), id].map((part) => attempt(() => userKey(part)))
          for (const key of new Set(keys)) if (key !== undefined) onChange(key, event === 'removed')
        })
    }
  })
}
