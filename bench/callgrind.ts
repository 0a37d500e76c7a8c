import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

// With these, one run counts the same as another.
const nodeFlags = [
  // Threads take turns there, so that compiled code would come late, by chance; and memory is
  // collected by the clock.
  '--single-threaded',
  '--no-memory-reducer',
  // A collection costs as much as hundreds of requests: it would fall into some counts and not
  // into others. What a request allocates is told beside the count.
  '--initial-old-space-size=1024',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--hash-seed=1',
  '--random-seed=1'
]

/** A server in a process whose instructions are counted, on a processor that valgrind simulates. */
export class CountedServer {
  readonly port: number
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.#child = child
    this.port = port
    this.#folder = folder
  }

  /**
   * @param node the program
   * @param args of `server.js`
   * @param hasNames whether `names` is read later
   */
  static async start(node: string, args: readonly string[], hasNames: boolean): Promise<CountedServer> {
    const out = mkdtempSync(join(folder, 'side-'))
    const places = ['--dump-instr=yes', '--compress-pos=no', '--compress-strings=no']
    const valgrind = ['-q', '--tool=callgrind', '--instr-atstart=no', `--callgrind-out-file=${out}/count`]
    const child = fork(new URL('./server.js', import.meta.url), args, {
      cwd: out,
      execPath: 'valgrind',
      execArgv: [
        ...valgrind,
        ...(hasNames ? places : []),
        node,
        ...nodeFlags,
        ...(hasNames ? ['--perf-basic-prof'] : [])
      ],
      env: { ...process.env, NODE_ENV: 'production' }
    })
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The server ended with ${code}`)))
    const [port] = await Promise.race([once(child, 'message') as Promise<[number]>, ended])
    ended.catch(() => {})
    return new CountedServer(child, port, out)
  }

  /** @returns how many instructions the process has executed meanwhile, and the file of valgrind */
  async count(work: () => Promise<unknown>): Promise<{ instructions: number; text: string }> {
    const tell = (...command: string[]) => run('vgdb', [`--pid=${this.#child.pid}`, ...command])
    await tell('instrumentation', 'on')
    await tell('zero')
    await work()
    await tell('dump')
    await tell('instrumentation', 'off')
    const names = readdirSync(this.#folder).filter((name) => name.startsWith('count.'))
    const text = names.map((name) => readFileSync(join(this.#folder, name), 'utf8')).join('\n')
    for (const name of names) rmSync(join(this.#folder, name))
    const count = /^totals: (\d+)$/m.exec(text)?.[1]
    if (count === undefined) throw new Error('valgrind has not counted')
    return { instructions: Number(count), text }
  }

  /** The bytes of the heap, with what nobody needs any more. */
  async heap(): Promise<number> {
    this.#child.send('heap')
    const [bytes] = (await once(this.#child, 'message')) as [number]
    return bytes
  }

  /** The names of compiled functions, as Node has written them: lines of address, size and name. */
  get names(): string {
    return readFileSync(`/tmp/perf-${this.#child.pid}.map`, 'utf8')
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit')
    this.#child.disconnect()
    await exit
    rmSync(`/tmp/perf-${this.#child.pid}.map`, { force: true })
  }
}
