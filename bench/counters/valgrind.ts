import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Counter } from './counter.js'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const nodeFlags = [
  // Threads take turns there, so that compiled code would come late, by chance; and memory is collected by the clock.
  '--single-threaded',
  '--no-memory-reducer',
  // A full collection costs as much as thousands of requests: it would fall into some counts and not into others.
  '--initial-old-space-size=1024'
]

/** A simulated processor, which counts exactly and is fifty times slower. Only while it counts: the warm-up is ten times slower. */
export const valgrind: Counter = {
  name: 'valgrind',
  what: `user instructions, by \`valgrind --tool=callgrind\`; Node runs with \`${nodeFlags.join(' ')}\``,
  unit: 'thousand instructions',
  per: 1000,
  warmup: 12_000,
  requests: 2000,
  isSlow: true,
  async isThere() {
    try {
      await run('vgdb', ['--help'])
      await run('valgrind', ['--tool=callgrind', '--callgrind-out-file=/dev/null', 'true'])
      return true
    } catch {
      return false
    }
  },
  command: (node) => [
    'valgrind',
    '-q',
    '--tool=callgrind',
    '--instr-atstart=no',
    `--callgrind-out-file=${join(folder, '%p')}`,
    node,
    ...nodeFlags
  ],
  async count({ pid }, work) {
    const tell = (...command: string[]) => run('vgdb', [`--pid=${pid}`, ...command])
    await tell('instrumentation', 'on')
    await tell('zero')
    await work()
    await tell('dump')
    await tell('instrumentation', 'off')
    const dumps = readdirSync(folder).filter((name) => name.startsWith(`${pid}.`))
    const text = dumps.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
    for (const name of dumps) rmSync(join(folder, name))
    const count = /^totals: (\d+)$/m.exec(text)?.[1]
    if (count === undefined) throw new Error('valgrind has not counted')
    return Number(count)
  }
}
