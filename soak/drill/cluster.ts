import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('server.js', import.meta.url))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Processes of one application behind an address that gives connections to each of them by turns. */
export class Cluster {
  readonly #env: Record<string, string>
  readonly #children: (ChildProcess | undefined)[]
  readonly #ports: number[] = []
  readonly #proxy = createServer()
  #turn = 0

  private constructor(size: number, env: Record<string, string>) {
    this.#env = env
    this.#children = Array.from({ length: size })
    this.#proxy.on('connection', (socket) => {
      const ports = this.#ports.filter((_, index) => this.#children[index] !== undefined)
      const target = connect(ports[this.#turn++ % Math.max(1, ports.length)] ?? 1, '127.0.0.1')
      socket.on('error', () => target.destroy()).pipe(target)
      target.on('error', () => socket.destroy()).pipe(socket)
      socket.on('close', () => target.destroy())
      target.on('close', () => socket.destroy())
    })
  }

  static async start(size: number, env: Record<string, string>): Promise<Cluster> {
    const cluster = new Cluster(size, env)
    cluster.#proxy.listen(0, '127.0.0.1')
    await once(cluster.#proxy, 'listening')
    for (let index = 0; index < size; index++) cluster.#ports.push(await freePort())
    await Promise.all(cluster.#ports.map((_, index) => cluster.startProcess(index)))
    return cluster
  }

  get size(): number {
    return this.#children.length
  }

  get port(): number {
    return (this.#proxy.address() as AddressInfo).port
  }

  /** Starts a process. The clock of the first one is a minute behind, that of the second one a minute ahead. */
  async startProcess(index: number): Promise<void> {
    const clock = { 0: -60_000, 1: 60_000 }[index] ?? 0
    const env = { ...process.env, ...this.#env, PORT: String(this.#ports[index]), CLOCK: String(clock) }
    const child = fork(main, [], { env })
    const listening = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (listening[0] !== 'listening') throw new Error(`A process did not start: ${listening}`)
    this.#children[index] = child
  }

  /** Ends a process. From then on the proxy leaves it alone. */
  async endProcess(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#children[index]
    this.#children[index] = undefined
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((_, index) => this.endProcess(index, 'SIGTERM')))
    this.#proxy.close()
  }
}
