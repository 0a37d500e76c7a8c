import { setTimeout as wait } from 'node:timers/promises'
import { atlasActions, comeAndGo, logIn } from './atlas-load.js'
import { hangUp } from './calls.js'
import { compare, settle } from './check.js'
import { Child } from './child.js'
import { Ledger } from './ledger.js'
import { Load, type Violations } from './load.js'

/** Where the data is: of a server, or in a folder. */
export interface Place {
  readonly name: string
  readonly env: Record<string, string>
  /** What the pool of connections may have open, more or less. */
  readonly spare: number
}

async function start({ env }: Place): Promise<{ child: Child; url: string }> {
  const defaults = {
    PORT: '0',
    HOST: '',
    AUTH_SECRET: '',
    LOG_LEVEL: 'fatal',
    DATABASE_URL: '',
    ATLAS_DATA: '',
    REDIS_URL: '',
    MAX_LAG: '0'
  }
  const child = new Child('examples/atlas/main.js', { ...defaults, RATE_LIMIT: '0', DATABASE_TIMEOUT: '60000', ...env })
  const url = await child.line(/(http:\/\/127\.0\.0\.1:\d+)/)
  await child.line(/(ODbL)/)
  return { child, url }
}

async function stop(name: string, child: Child, violations: Violations): Promise<void> {
  const code = await child.end('SIGTERM')
  if (code !== 0) violations.add(`${name} ends with ${code ?? 'nothing, for a minute'} on SIGTERM: ${child.printed}`)
  if (child.printed !== '') violations.add(`${name} printed: ${child.printed.slice(0, 2000)}`)
}

/** Load on the atlas; then a stop in the middle of it, and what it kept. */
export async function soakAtlas(place: Place, milliseconds: number, violations: Violations): Promise<void> {
  const { name, spare } = place
  const ledger = new Ledger()
  const { child, url } = await start(place)
  const actions = atlasActions(url, await logIn(url), ledger)
  hangUp()
  const begin = await child.sample()
  let calls = 0
  const run = async (time: number) => {
    const load = new Load(actions, violations, () => comeAndGo(url))
    await wait(time)
    await load.stop()
    calls += load.count
    return settle(name, child, begin, spare, violations)
  }
  const plateau = await run(milliseconds / 3)
  const end = await run((milliseconds * 2) / 3)
  compare(name, plateau.heap, end.heap, violations)

  const load = new Load(actions, violations)
  await wait(1000)
  load.release()
  await Promise.all([stop(name, child, violations), load.stop()])
  const again = await start(place)
  await ledger.check(again.url, 'after SIGTERM', violations)
  await stop(name, again.child, violations)
  console.log(`${name}: ${calls + load.count} calls, ${ledger.acknowledged} records acknowledged`)
}

/** Kills the atlas in the middle of load, again and again. */
export async function killAtlas(place: Place, milliseconds: number, violations: Violations): Promise<void> {
  const ledger = new Ledger()
  const until = Date.now() + milliseconds
  let rounds = 0
  for (; rounds < 3 || Date.now() < until; rounds++) {
    const { child, url } = await start(place)
    await ledger.check(url, 'after kill -9', violations)
    const load = new Load(atlasActions(url, await logIn(url), ledger), violations)
    await wait(500 + Math.random() * 1500)
    load.release()
    await Promise.all([child.end('SIGKILL'), load.stop()])
  }
  const { child, url } = await start(place)
  await ledger.check(url, 'after kill -9', violations)
  await stop(place.name, child, violations)
  console.log(`${place.name}: killed ${rounds} times, ${ledger.acknowledged} records acknowledged`)
}
