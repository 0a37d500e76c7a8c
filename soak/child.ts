import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Sample {
  heap: number
  open: Record<string, number>
}

const probe = new URL('./probe.js', import.meta.url).href

/** A server in a process of its own. */
export class Child {
  readonly #process: ChildProcess
  readonly #exit: Promise<unknown[]>
  #out = ''
  #err = ''

  /** @param script relative to the compiled files */
  constructor(script: string, env: Record<string, string> = {}) {
    const main = fileURLToPath(new URL(`../${script}`, import.meta.url))
    this.#process = spawn(process.execPath, ['--expose-gc', `--import=${probe}`, main], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc']
    })
    this.#exit = once(this.#process, 'exit')
    this.#process.stdout?.setEncoding('utf8').on('data', (chunk) => {
      this.#out += chunk
    })
    this.#process.stderr?.setEncoding('utf8').on('data', (chunk) => {
      this.#err += chunk
    })
  }

  /** What it has printed as an error. */
  get printed(): string {
    return this.#err
  }

  /** Waits for a line that it prints. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const [, match] = pattern.exec(this.#out) ?? []
      if (match !== undefined) return match
      await Promise.race([once(this.#process.stdout as never, 'data'), this.#died()])
    }
  }

  async #died(): Promise<never> {
    const [code, signal] = await this.#exit
    throw new Error(`The server ended with ${code ?? signal}: ${this.#err || this.#out}`)
  }

  /** What it answers to a message, where the answer has a field of that name. */
  async ask<T>(message: string, field: keyof T): Promise<T> {
    const answer = new Promise<T>((resolve) => {
      const onMessage = (reply: T) => {
        if (Object(reply)[field] === undefined) return
        this.#process.off('message', onMessage)
        resolve(reply)
      }
      this.#process.on('message', onMessage)
    })
    this.#process.send(message, () => {})
    return Promise.race([answer, this.#died()])
  }

  sample(): Promise<Sample> {
    return this.ask<Sample>('probe', 'heap')
  }

  /** Sends a signal, and waits for the end. @returns how it ended; `undefined` when it did not within a minute */
  async end(signal: NodeJS.Signals): Promise<unknown> {
    this.#process.kill(signal)
    const ended = await Promise.race([this.#exit, wait(60_000, undefined, { ref: false })])
    if (ended === undefined) this.#process.kill('SIGKILL')
    return ended?.[0] ?? ended?.[1]
  }
}
