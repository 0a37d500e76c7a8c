import { parseArgs } from 'node:util'

export interface Options {
  /** The row to measure, or how the ids of several begin. Default: all, and what the page shows besides. */
  readonly only: string | undefined
  /** How many times each subject is started: processes of one program differ in how they were compiled. */
  readonly starts: number
  /** Requests that are counted, and that come before. Default: what suits the counter. */
  readonly requests: number | undefined
  readonly warmup: number | undefined
  /** `perf`, `valgrind` or `cpu`. Default: the best that works. */
  readonly count: string | undefined
  /** Versions of Node. Default: this one, 24 and 26. */
  readonly node: readonly string[]
  /** The file to write. Default: none, or `docs/benchmarks.md` where all is measured. */
  readonly out: string | undefined
}

const [major = ''] = process.versions.node.split('.')

/** Reads `--only get --requests 100 --node 20,24`. @throws when something else is given */
export function readOptions(args: readonly string[]): Options {
  const names = ['only', 'starts', 'requests', 'warmup', 'count', 'node', 'out'] as const
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  })
  const text = (name: (typeof names)[number]) => values[name] as string | undefined
  const number = (name: (typeof names)[number]) => {
    const option = text(name)
    const value = Number(option)
    if (option !== undefined && (!Number.isInteger(value) || value < 1))
      throw new Error(`--${name} is a whole number above 0`)
    return option === undefined ? undefined : value
  }
  return {
    only: text('only'),
    starts: number('starts') ?? 3,
    requests: number('requests'),
    warmup: number('warmup'),
    count: text('count'),
    node: text('node')?.split(',') ?? [...new Set([major, '24', '26'])],
    out: text('out')
  }
}
