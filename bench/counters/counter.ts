import type { Child } from '../child.js'
import { cpu } from './cpu.js'
import { perf } from './perf.js'
import { valgrind } from './valgrind.js'

/** What tells how much a process has done. */
export interface Counter {
  readonly name: string
  /** What is counted, for the page. */
  readonly what: string
  /** The unit in which a table shows it, and how many of what is counted it is. */
  readonly unit: string
  readonly per: number
  /** How many requests, by default, before anything is counted, and while it is. */
  readonly warmup: number
  readonly requests: number
  /** A heavy work is then done less often, before it is counted too. */
  readonly isSlow: boolean
  isThere(): Promise<boolean>
  /** How a program is started so that it can be counted. */
  command(node: string): readonly string[]
  /** How much the process of a subject has done while `work` ran. */
  count(child: Child, work: () => Promise<unknown>): Promise<number>
}

export const counters: readonly Counter[] = [perf, valgrind, cpu]

/** The one that is named, or else the best that works here. @throws when the one that is named does not */
export async function chooseCounter(name: string | undefined): Promise<Counter> {
  for (const counter of counters)
    if ((name === undefined || name === counter.name) && (await counter.isThere())) return counter
  throw new Error(`${name} does not work here`)
}
