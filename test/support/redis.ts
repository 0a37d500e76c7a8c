import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { isInstalled } from './installed.js'

/** Said of tests that are skipped without a server. */
export const skipRedis = !isInstalled('redis-server') && 'Redis is not installed: apt-get install redis-server'

/** A Redis server of its own, which keeps its data in a file as one in production would. */
export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'redis-'))
  #process: ChildProcess | undefined
  #port = 0

  static async start(t: Pick<Test, 'teardown'>): Promise<RedisServer> {
    const server = new RedisServer()
    t.teardown(async () => {
      await server.kill()
      rmSync(server.#folder, { recursive: true, force: true })
    })
    server.#port = await freePort()
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const place = ['--bind', '127.0.0.1', '--port', String(this.#port), '--dir', this.#folder]
    this.#process = spawn('redis-server', [...place, '--appendonly', 'yes', '--appendfsync', 'always', '--save', ''], {
      stdio: 'ignore'
    })
    const client = new Redis(this.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 })
    client.on('error', () => {})
    await client.ping()
    client.disconnect()
  }

  /** Stops it in the middle of what it does, with its connections open, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(name)
  }

  /** A client, which is disconnected when the test ends. */
  client(t: Pick<Test, 'teardown'>, options: object = {}): Redis {
    const { port } = new URL(this.url)
    const client = new Redis({ host: '127.0.0.1', port: Number(port), retryStrategy: () => 50, ...options })
    client.on('error', () => {})
    t.teardown(() => client.disconnect())
    return client
  }

  async kill(): Promise<void> {
    if (this.#process === undefined || this.#process.exitCode !== null || this.#process.signalCode !== null) return
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
