import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import createKnex from 'knex'
import t, { type Test } from 'tap'
import type { DatabaseOptions, Drizzle } from '../../examples/atlas/database.js'
import { copyEmpty } from '../support/pglite.js'

const { TEST_DATABASE_URL: server } = process.env

/** Said of tests that are skipped without a server. */
export const skip =
  !server &&
  'start a server, docker run --rm -p 5432:5432 -e POSTGRES_PASSWORD=atlas postgres, and set TEST_DATABASE_URL=postgres://postgres:atlas@127.0.0.1:5432/postgres'

export type DatabaseTest = (t: Test, options: DatabaseOptions) => Promise<void>

/** Runs a test on an empty PGlite, and on a server. */
export function onEachDatabase(name: string, test: DatabaseTest): void {
  onFolder(name, test)
  onServer(name, test)
}

/** Runs a test on a server where there is one, or else on an empty PGlite. */
export const onDatabase = (name: string, test: DatabaseTest) => (server ? onServer : onFolder)(name, test)

/** Runs a test on an empty PGlite. */
export function onFolder(name: string, test: DatabaseTest): void {
  t.test(`${name} (PGlite)`, async (t) => test(t, await openFolder(t)))
}

/** An empty PGlite. */
export async function openFolder(t: Test): Promise<DatabaseOptions> {
  const folder = t.testdir()
  await copyEmpty(join(folder, 'postgres'))
  return { folder }
}

/** Runs a test on an empty database of the PostgreSQL server of `TEST_DATABASE_URL`. */
export function onServer(name: string, test: DatabaseTest): void {
  t.test(`${name} (PostgreSQL)`, { skip }, async (t) => test(t, await openServer(t)))
}

/** The rows of a statement. */
export async function rowsOf(db: Drizzle, statement: string): Promise<Record<string, unknown>[]> {
  return ((await db.execute(statement)) as unknown as { rows: Record<string, unknown>[] }).rows
}

let databases = 0

/** An empty database of the server; dropped when the test ends. */
export async function openServer(t: Test): Promise<DatabaseOptions> {
  const url = new URL(server as string)
  const knex = createKnex({ client: 'pg', connection: url.href })
  const database = `atlas_test_${process.pid}_${databases++}`
  await knex.raw('create database ??', [database])
  t.teardown(async () => {
    await knex.raw('drop database ?? with (force)', [database])
    await knex.destroy()
  })
  url.pathname = database
  return { url: url.href }
}

/** The real process: `node dist/examples/atlas/main.js`. */
export class Atlas {
  readonly #child: ChildProcess
  readonly #out: Promise<string>
  readonly #err: Promise<string>
  readonly #exit: Promise<unknown[]>

  constructor(t: Test, { url, folder }: DatabaseOptions, env: Record<string, string> = {}) {
    const main = fileURLToPath(new URL('../../examples/atlas/main.js', import.meta.url))
    const environment = { AUTH_SECRET: '', DATABASE_URL: url ?? '', ATLAS_DATA: folder ?? '', REDIS_URL: '' }
    // A loaded machine is no subject of these tests.
    const defaults = { PORT: '0', HOST: '', LOG_LEVEL: '', MAX_LAG: '0', ...environment }
    const child = spawn(process.execPath, [main], { env: { ...process.env, ...defaults, ...env } })
    t.teardown(() => child.kill('SIGKILL'))
    this.#child = child
    this.#out = text(child.stdout)
    this.#err = text(child.stderr)
    this.#exit = once(child, 'exit')
  }

  /** The commands that it prints, once it listens. */
  async commands(): Promise<string[]> {
    let printed = ''
    this.#child.stdout?.on('data', (chunk) => {
      printed += chunk
    })
    while (!printed.includes('ODbL')) await Promise.race([once(this.#child.stdout as never, 'data'), this.#died()])
    return [...printed.matchAll(/^ +(\S.+)$/gm)].map(([, command]) => command as string)
  }

  async #died(): Promise<never> {
    throw new Error(`It ended: ${JSON.stringify(await this.end())}`)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** What it ends with, after a signal if there is one. */
  async end(signal?: NodeJS.Signals): Promise<{ code: unknown; out: string; err: string }> {
    if (signal !== undefined) this.signal(signal)
    const [code] = await this.#exit
    return { code, out: await this.#out, err: await this.#err }
  }
}
