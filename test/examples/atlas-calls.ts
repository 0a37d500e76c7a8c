import type { FastifyInstance, InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { type DatabaseOptions, type Drizzle, openDatabase } from '../../examples/atlas/database.js'
import '../support/auth-scrypt.js'
import { openFolder, openServer, skip } from './atlas-support.js'

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what it is
  body: any
  text: string
}

/** Calls over HTTP, with a token or without. */
export type Call = (method: string, url: string, payload?: unknown, token?: string) => Promise<Answer>

export interface SignedUp {
  id: number
  email: string
  token: string
}

export const password = 'correct horse'

export function callsOf(app: FastifyInstance) {
  const call: Call = async (method, url, payload, token) => {
    const response = await app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url,
      ...(payload !== undefined && {
        payload: JSON.stringify(payload),
        headers: { 'content-type': 'application/json', ...bearer(token) }
      }),
      ...(payload === undefined && { headers: bearer(token) })
    })
    return { status: response.statusCode, body: response.json(), text: response.body }
  }
  const logIn = (email: unknown, withPassword: unknown = password) =>
    call('POST', '/authentication', { strategy: 'local', email, password: withPassword })
  const signUp = async (name: string): Promise<SignedUp> => {
    const email = `${name}@example.com`
    await app.ready()
    const users = app.service<{ create(data: object): Promise<{ id: number }> }>('users')
    const { id } = await users.create({ email, name, password })
    return { id, email, token: (await logIn(email)).body.accessToken }
  }
  return { call, logIn, signUp }
}

const bearer = (token: string | undefined) => ({ ...(token !== undefined && { authorization: `Bearer ${token}` }) })

interface StartedAtlas {
  readonly app: FastifyInstance
  readonly db: Drizzle
}

type AtlasTest = (t: Test, atlas: StartedAtlas & ReturnType<typeof callsOf>) => Promise<void>

type Open = (t: Test) => Promise<DatabaseOptions>

const atlases = new Map<Open, Promise<StartedAtlas & { reset(): Promise<unknown> }>>()

/** Starts an atlas, which the tests of a file share. */
async function start(open: Open) {
  const database = await openDatabase(await open(t))
  const app = await createApp(database, { rateLimit: 0 })
  t.teardown(() => app.close())
  await app.ready()
  // The demo user is the first one.
  const reset = async () => {
    await database.db.execute('truncate atlas.notes restart identity')
    await database.db.execute('delete from atlas.users where id > 1')
    await database.db.execute("select setval(pg_get_serial_sequence('atlas.users', 'id'), 1)")
  }
  return { app, db: database.db, reset }
}

/** Runs a test on an atlas that has no notes, and no user but the demo user. */
async function run(t: Test, test: AtlasTest, open: Open) {
  const starting = atlases.get(open) ?? start(open)
  atlases.set(open, starting)
  const { app, db, reset } = await starting
  await reset()
  await test(t, { app, db, ...callsOf(app) })
}

/** Runs a test on an atlas over PGlite, and on one over the server. */
export function onEachAtlas(name: string, test: AtlasTest): void {
  t.test(`${name} (PGlite)`, (t) => run(t, test, openFolder))
  t.test(`${name} (PostgreSQL)`, { skip }, (t) => run(t, test, openServer))
}

/** Runs a test on an atlas over the server, where there is one, or else over PGlite. */
export function onAtlas(name: string, test: AtlasTest): void {
  if (skip) t.test(`${name} (PGlite)`, (t) => run(t, test, openFolder))
  else t.test(`${name} (PostgreSQL)`, (t) => run(t, test, openServer))
}
