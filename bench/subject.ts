import { executionAsyncResource } from 'node:async_hooks'
import { once } from 'node:events'
import { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'

/** What a file of `subjects/` exports: it makes a server that listens, or a function that is called. */
export interface Subject {
  start(argument: string | undefined, token: string): Promise<Server | (() => Promise<unknown>)>
}

const held: unknown[] = []
const [, , name = '', token = ''] = process.argv
const [, file, argument, state] = /^([\w-]+)(?::([\w-]+))?(?:@(\w+))?$/.exec(name) ?? []

// Where no state is asked for, nobody has the slow `nextTick`: what it queues keeps its hidden class while one of it is held.
if (state !== 'early') process.nextTick(() => held.push(executionAsyncResource()))
const { start } = (await import(`./subjects/${file}.js`)) as Subject
const subject = await start(argument, token)
if (subject instanceof Server) {
  if (!subject.listening) await once(subject, 'listening')
  // All have the timeout of Fastify: a slow counter leaves connections idle for longer than Node allows.
  subject.keepAliveTimeout = 72_000
}
if (state === 'early') {
  // As in an idle server after its start: a full collection before `process.nextTick` is optimised.
  globalThis.gc?.()
  await setImmediate()
  globalThis.gc?.()
}

/** Calls as often as asked, sixteen at a time, like the connections of the load. */
async function call(times: number): Promise<void> {
  let left = times
  const next = async () => {
    while (left-- > 0) await (subject as () => Promise<unknown>)()
  }
  await Promise.all(Array.from({ length: 16 }, next))
}

const answers: Record<string, (times: number) => unknown> = {
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  heap: () => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed
  },
  call: async (times) => {
    await call(times)
    return times
  }
}

process.on('disconnect', () => process.exit())
process.on('message', async ([question, times]: [string, number]) => process.send?.(await answers[question]?.(times)))
const port = subject instanceof Server ? (subject.address() as AddressInfo).port : undefined
process.send?.({ port })
