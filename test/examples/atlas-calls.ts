import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { toStored } from '../support/stored-password.js'
import { type DatabaseTest, onDatabase, onEachDatabase } from './atlas-support.js'

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
    const users = app.service<{ _create(data: object): Promise<{ id: number }> }>('users')
    const { id } = await users._create({ email, name, password: toStored(password) })
    return { id, email, token: (await logIn(email)).body.accessToken }
  }
  return { call, logIn, signUp }
}

const bearer = (token: string | undefined) => ({ ...(token !== undefined && { authorization: `Bearer ${token}` }) })

type AtlasTest = (t: Test, calls: ReturnType<typeof callsOf>) => Promise<void>

const over =
  (test: AtlasTest): DatabaseTest =>
  async (t, options) => {
    const app = await createApp(await openDatabase(options), { rateLimit: 0 })
    t.teardown(() => app.close())
    await test(t, callsOf(app))
  }

/** Runs a test on an atlas over each database. */
export const onEachAtlas = (name: string, test: AtlasTest) => onEachDatabase(name, over(test))

/** Runs a test on an atlas over the server, where there is one, or else over PGlite, which takes seconds to start. */
export const onAtlas = (name: string, test: AtlasTest) => onDatabase(name, over(test))
