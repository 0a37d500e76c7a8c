import type { Counter } from './counter.js'

/** CPU time: it swings with what else the machine does. */
export const cpu: Counter = {
  name: 'cpu',
  what: 'CPU time, user and system; neither `perf` nor `valgrind` counts instructions here',
  unit: 'µs',
  per: 1,
  warmup: 25_000,
  requests: 10_000,
  isSlow: false,
  isThere: async () => true,
  command: (node) => [node],
  async count(child, work) {
    const before = await child.cpuTime()
    await work()
    return (await child.cpuTime()) - before
  }
}
