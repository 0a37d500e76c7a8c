import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import type { Counter } from './counter.js'

const event = 'instructions:u'

/** The counters of the processor, by `perf stat`. */
export const perf: Counter = {
  name: 'perf',
  what: 'user instructions, by `perf stat -e instructions:u`',
  unit: 'thousand instructions',
  per: 1000,
  warmup: 25_000,
  requests: 10_000,
  isSlow: false,
  async isThere() {
    try {
      const { stderr } = await promisify(execFile)('perf', ['stat', '-x,', '-e', event, 'true'])
      return Number.isFinite(countIn(stderr))
    } catch {
      return false
    }
  },
  command: (node) => [node],
  async count({ pid }, work) {
    // perf counts from `enable` to `disable`, and acknowledges both.
    const args = ['stat', '-x,', '-e', event, '-p', String(pid), '--delay=-1', '--control=fd:3,4']
    const stat = spawn('perf', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] })
    const [, , report, control, answers] = stat.stdio as unknown as Duplex[]
    let text = ''
    report?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    const closed = once(stat, 'close')
    const tell = async (command: string) => {
      control?.write(`${command}\n`)
      await Promise.race([once(answers as Duplex, 'data'), closed])
    }
    await tell('enable')
    await work()
    await tell('disable')
    stat.kill('SIGINT')
    await closed
    const count = countIn(text)
    if (Number.isFinite(count)) return count
    throw new Error(`perf has not counted: ${text}`)
  }
}

/** The count in a line such as `123456,,instructions:u,…`. */
const countIn = (text: string) => Number.parseInt(/^(\d+),/m.exec(text)?.[1] ?? '', 10)
