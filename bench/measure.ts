import { CountedServer } from './callgrind.js'
import { Load } from './load.js'
import { Profile } from './profile.js'
import { createToken } from './users.js'
import { toMessage, workOf, works } from './works.js'

/** Of one request. */
export interface Cost {
  readonly instructions: number
  /** Bytes of memory. */
  readonly allocated: number
  /** The body of the answer. */
  readonly body: string
}

export interface Settings {
  /** The program. */
  readonly node: string
  /** The file of `servers/`. */
  readonly side: string
  /** How many other services there are. */
  readonly others: number
  /** The names of the works that are counted. All are done before, since servers do them all. */
  readonly names: readonly string[]
  readonly warmup: number
  readonly requests: number
  /** The name of the work whose functions are told. */
  readonly profile?: string | undefined
}

const rounds = 10
const counts = 3

/** Counts what each work costs a server that does all works. */
export async function measure({ node, side, others, names, warmup, requests, profile }: Settings) {
  const token = await createToken()
  const server = await CountedServer.start(node, [side, String(others)], profile !== undefined)
  const load = await Load.open(server.port)
  const send = (name: string, times: number) => {
    const work = workOf(name)
    return load.send(toMessage(work, token), work.status ?? 200, times)
  }

  async function costOf(name: string): Promise<Cost> {
    const body = await send(name, 1)
    const tries: Omit<Cost, 'body'>[] = []
    for (let i = 0; i < counts; i++) {
      const before = await server.heap()
      const { instructions } = await server.count(() => send(name, requests))
      const allocated = (await server.heap()) - before
      tries.push({ instructions: instructions / requests, allocated: allocated / requests })
    }
    // The compiler and the collector may come in between: they only add.
    const least = (of: keyof Omit<Cost, 'body'>) =>
      Math.min(...tries.map((cost) => cost[of]).filter((cost) => cost > 0))
    return { body, instructions: least('instructions'), allocated: least('allocated') }
  }

  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(works)) await send(name, Math.ceil(warmup / rounds))
    // Asked here too: what the engine meets for the first time makes it compile anew.
    await server.heap()
  }
  const costs = new Map<string, Cost>()
  for (const name of names) costs.set(name, await costOf(name))
  const counted = profile === undefined ? undefined : await server.count(() => send(profile, requests))
  const functions = counted && new Profile(counted.text, server.names)
  load.close()
  await server.stop()
  return { costs, functions }
}
