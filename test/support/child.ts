import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own, started anew when it has died. */
export class Child {
  readonly #script: string
  readonly #args: readonly string[]
  #process: ChildProcess | undefined
  #port = 0

  /** @param script beside this file */
  constructor(script: string, ...args: string[]) {
    this.#script = fileURLToPath(new URL(script, import.meta.url))
    this.#args = args
  }

  async start(): Promise<void> {
    if (this.alive) return
    this.#process = fork(this.#script, this.#args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const [address] = (await once(this.#process, 'message')) as [AddressInfo]
    this.#port = address.port
  }

  get alive(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  async stop(): Promise<void> {
    const child = this.#process
    if (child === undefined || !this.alive) return
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    child.disconnect()
    await once(child, 'exit')
    clearTimeout(timer)
  }

  /** Ends the process at once: for one that does not answer any more. */
  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || !this.alive) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** Sends a request as it is, and gives all that comes back, at the latest after five seconds; `abort`: the first of it. */
  raw(text: string, abort = false): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1')
      const chunks: Buffer[] = []
      const done = () => resolve(Buffer.concat(chunks).toString('latin1'))
      socket.setTimeout(5000, () => socket.destroy())
      socket
        .on('error', () => {})
        .on('close', done)
        .on('data', (chunk) => {
          chunks.push(chunk)
          if (abort) socket.destroy()
        })
      socket.write(text)
    })
  }

  async ask(method: string, path: string, abort = false): Promise<{ status: number; head: string; body: string }> {
    const request = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nConnection: close\r\n\r\n`
    const answer = await this.raw(request, abort)
    const [head = '', ...body] = answer.split('\r\n\r\n')
    return { status: Number(head.split(' ')[1] ?? 0), head, body: body.join('\r\n\r\n') }
  }
}
