import { setTimeout as wait } from 'node:timers/promises'
import type { Child, Sample } from './child.js'
import type { Violations } from './load.js'

// Pipes are what the server prints into. A timer ends by itself: that of \`handlerTimeout\` does so late, for a request that waited
// behind another one on a connection when its client left.
const passing = ['PipeWrap', 'Timeout']

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`

/** Waits until a server has nothing more open than it had at the start. */
export async function settle(
  name: string,
  child: Child,
  start: Sample,
  spare: number,
  violations: Violations
): Promise<Sample> {
  let sample = await child.sample()
  let left: string[] = []
  for (let tries = 0; tries < 150; tries++) {
    left = Object.entries(sample.open)
      .filter(([kind, count]) => !passing.includes(kind) && count > (start.open[kind] ?? 0) + spare)
      .map(([kind, count]) => `${count} ${kind}`)
    if (left.length === 0) return sample
    await wait(100)
    sample = await child.sample()
  }
  violations.add(`${name} has not closed: ${left.join(', ')}`)
  return sample
}

/** Memory after a collection, at the end of the first third and at the end of the load. */
export function compare(name: string, plateau: number, end: number, violations: Violations): void {
  console.log(`${name}: ${megabytes(plateau)} after a third of the time, ${megabytes(end)} at the end`)
  if (end > plateau * 1.1) violations.add(`The memory of ${name} grows: ${megabytes(plateau)}, then ${megabytes(end)}`)
}
