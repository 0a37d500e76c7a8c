import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A way to the server of `url` that can be cut and frozen. */
export class Way {
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#join(socket))
  readonly #target: URL
  readonly #events = new EventEmitter()
  #isFrozen = false
  #port = 0

  constructor(url: string) {
    this.#target = new URL(url)
  }

  static async to(t: Test, url = ''): Promise<Way> {
    const way = new Way(url)
    await way.open()
    t.teardown(() => way.cut())
    return way
  }

  /** The address of the server by this way. */
  get url(): string {
    return Object.assign(new URL(this.#target), { host: `127.0.0.1:${this.#port}` }).href
  }

  get port(): string {
    return String(this.#port)
  }

  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Ends all connections, and refuses new ones until it is opened again. */
  async cut(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  /**
   * Takes connections, and passes nothing on: what a host does that hangs.
   *
   * @returns once something has been sent that is not passed on
   */
  freeze(): Promise<unknown> {
    this.#isFrozen = true
    const asked = once(this.#events, 'asked')
    for (const socket of this.#sockets)
      socket
        .unpipe()
        .on('data', () => this.#events.emit('asked'))
        .resume()
    return asked
  }

  /** Those connections that were frozen stay so. */
  thaw(): void {
    this.#isFrozen = false
  }

  #join(socket: Socket): void {
    this.#keep(socket)
    if (this.#isFrozen) return void this.#events.emit('asked')
    const other = connect(Number(this.#target.port), this.#target.hostname)
    this.#keep(other)
    socket.pipe(other).pipe(socket)
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
  }
}
