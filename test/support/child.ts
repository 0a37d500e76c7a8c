import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'

/** What the process tells, beside its address. */
export interface Message {
  readonly kind: string
  readonly value?: unknown
}

/** A server in a process of its own, started anew when it has died. What it prints is kept. */
export class Child {
  readonly #script: string
  readonly #args: readonly string[]
  #process: ChildProcess | undefined
  #printed = ''
  readonly #waiting = new Map<string, (value?: unknown) => void>()
  port = 0

  /** @param script beside this file */
  constructor(script: string, ...args: string[]) {
    this.#script = fileURLToPath(new URL(script, import.meta.url))
    this.#args = args
  }

  /** @throws what it has printed, when it ends before it listens */
  async start(): Promise<void> {
    if (this.alive) return
    const child = fork(this.#script, this.#args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    this.#process = child
    const print = (chunk: Buffer) => {
      this.#printed += chunk
    }
    child.stdout?.on('data', print)
    child.stderr?.on('data', print)
    this.port = await new Promise<number>((resolve, reject) => {
      child.once('message', (address: AddressInfo) => resolve(address.port))
      child.once('error', reject)
      child.once('close', (code, signal) => {
        reject(new Error(`${this.#script} ended at its start (${signal ?? code}): ${this.printed()}`))
      })
    })
    child.on('message', ({ kind, value }: Message) => this.#waiting.get(kind)?.(value))
    child.on('exit', () => {
      for (const resolve of this.#waiting.values()) resolve()
    })
  }

  get alive(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** What it has printed since the last look, warnings among it. */
  printed(): string {
    const printed = this.#printed
    this.#printed = ''
    return printed
  }

  /** The next message of a kind that the process sends; `undefined` when it ends. */
  async message<T>(kind: string): Promise<T | undefined> {
    if (!this.alive) return undefined
    return (await new Promise<unknown>((resolve) => this.#waiting.set(kind, resolve))) as T | undefined
  }

  /** Asks the process itself, past HTTP. */
  async ask<T>(kind: string): Promise<T | undefined> {
    const answer = this.message<T>(kind)
    if (this.#process?.connected) this.#process.send(kind, () => {})
    return answer
  }

  async stop(): Promise<void> {
    const child = this.#process
    if (child === undefined || !this.alive) return
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    child.disconnect()
    await once(child, 'exit')
    clearTimeout(timer)
  }

  /** Ends the process at once. */
  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || !this.alive) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** Sends a request as it is, and gives all that comes back, at the latest after five seconds. */
  raw(text: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1')
      const chunks: Buffer[] = []
      socket.setTimeout(5000, () => socket.destroy())
      socket
        .on('error', () => {})
        .on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
        .on('data', (chunk) => chunks.push(chunk))
      socket.write(text)
    })
  }
}
