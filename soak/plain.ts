import { setTimeout as wait } from 'node:timers/promises'
import { compare, settle } from './check.js'
import { Child } from './child.js'
import { Load, type Violations } from './load.js'
import { plainActions } from './plain-load.js'

interface State {
  port: number
  open: { sources: number; calls: number }
}

const name = 'The server with streams'

/** Load on a server without a database: streams of all kinds, logins and their renewals. */
export async function soakPlain(milliseconds: number, violations: Violations): Promise<void> {
  const child = new Child('fuzz/server.js')
  const { port } = await child.ask<State>('state', 'port')
  const actions = plainActions(`http://127.0.0.1:${port}`)
  const begin = await child.sample()
  let calls = 0
  const run = async (time: number) => {
    const load = new Load(actions, violations)
    await wait(time)
    await load.stop()
    calls += load.count
    return settle(name, child, begin, 0, violations)
  }
  const plateau = await run(milliseconds / 3)
  const end = await run((milliseconds * 2) / 3)
  compare(name, plateau.heap, end.heap, violations)
  // A call whose client has left may wait for a timer, which ends by itself.
  let { open } = await child.ask<State>('state', 'port')
  for (let tries = 0; tries < 150 && open.sources + open.calls > 0; tries++) {
    await wait(100)
    open = (await child.ask<State>('state', 'port')).open
  }
  if (open.sources > 0 || open.calls > 0)
    violations.add(`${name} has ${open.sources} streams and ${open.calls} calls open that nobody waits for`)
  if (child.printed !== '') violations.add(`${name} printed: ${child.printed.slice(0, 2000)}`)
  await child.end('SIGKILL')
  console.log(`${name}: ${calls} calls`)
}
