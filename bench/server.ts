import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Messages } from './messages.js'

// The process of one server: tells its port, then answers what it is asked.
const { serve } = (await import(`./servers/${process.argv[2]}.js`)) as { serve(messages: Messages): Promise<Server> }
const server = await serve(new Messages())
if (!server.listening) await once(server, 'listening')

// A full collection before `process.nextTick` is compiled makes it slower for the life of the process, by 2 µs per request. The
// smallest server starts without one and others by chance: here all have it, so that chance decides nothing.
globalThis.gc?.()
await setImmediate()
globalThis.gc?.()

const session = new Session()

const answers: Record<string, (file: string) => unknown> = {
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  profile: async () => {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
    await session.post('Profiler.start')
  },
  write: async (file) => {
    const { profile } = await session.post('Profiler.stop')
    await writeFile(file, JSON.stringify(profile))
  }
}

process.on('disconnect', () => process.exit())
process.on('message', async ([question, file]: [string, string]) =>
  process.send?.((await answers[question]?.(file)) ?? null)
)
process.send?.((server.address() as AddressInfo).port)
