export interface Options {
  /** How many times all servers are started: processes of one program differ in how they were compiled. */
  readonly starts: number
  /** Rounds per start. */
  readonly rounds: number
  /** Requests in a round, for each server and case. */
  readonly requests: number
  /** Requests that a server answers to each case before its first round. */
  readonly warmup: number
  /** The case to measure. Default: all. */
  readonly only: string | undefined
  /** The server to profile, in place of measuring. */
  readonly profile: string | undefined
}

const numbers = { starts: 3, rounds: 6, requests: 4000, warmup: 10000 }

/** Reads `starts=3 rounds=6 requests=4000 warmup=10000 only=find profile=plugin`. @throws when something else is given */
export function readOptions(args: readonly string[], cases: readonly string[], servers: readonly string[]): Options {
  const given = new Map(args.map((arg) => arg.split('=', 2) as [string, string | undefined]))
  const number = (name: keyof typeof numbers) => {
    const value = Number(given.get(name) ?? numbers[name])
    if (!Number.isInteger(value) || value < 1) throw new Error(`${name} is a whole number above 0`)
    return value
  }
  const choice = (name: string, values: readonly string[]) => {
    const value = given.get(name)
    if (given.has(name) && !values.includes(value ?? '')) throw new Error(`${name} is one of ${values.join(', ')}`)
    return value
  }
  const unknown = [...given.keys()].find((name) => !(name in numbers || name === 'only' || name === 'profile'))
  if (unknown !== undefined)
    throw new Error(`There is no option '${unknown}': they are starts, rounds, requests, warmup, only, profile`)
  return {
    starts: number('starts'),
    rounds: number('rounds'),
    requests: number('requests'),
    warmup: number('warmup'),
    only: choice('only', cases),
    profile: choice('profile', servers)
  }
}
