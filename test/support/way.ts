import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A way to a server that can be cut, and held up. */
export class Way {
  readonly #sockets = new Set<Socket>()
  readonly #target: { readonly host: string; readonly port: number }
  #server: Server | undefined
  #port = 0
  #fatal: RegExp | undefined

  constructor(host: string, port: number) {
    this.#target = { host, port }
  }

  async open(t: Pick<Test, 'teardown'>): Promise<this> {
    await this.restore()
    t.teardown(() => this.cut())
    return this
  }

  get port(): number {
    return this.#port
  }

  async restore(): Promise<void> {
    this.#server = createServer((socket) => {
      const target = connect(this.#target)
      for (const [from, to] of [
        [socket, target],
        [target, socket]
      ] as const) {
        this.#sockets.add(from)
        from.on('data', (bytes) => {
          if (from !== socket || !this.#fatal?.test(String(bytes))) return to.write(bytes)
          this.#fatal = undefined
          socket.destroy()
        })
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
        from.on('error', () => {})
      }
    }).listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Ends all connections, and lets none begin. */
  async cut(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server?.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }

  /** Ends the connection that is next to send this text, in place of sending it. */
  cutAt(text: RegExp): void {
    this.#fatal = text
  }

  /** What is sent from now on over the connections that are open stays on its way. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause()
  }

  goOn(): void {
    for (const socket of this.#sockets) socket.resume()
  }
}
