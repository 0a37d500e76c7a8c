import { authentication, type ClientAuthenticationOptions, createClient, rest } from 'fastify-services/client'
import { outcome } from './outcome.js'

/** A token of a user. Its last part, the name that the log shows, is the user and a number. */
export const tokenOf = (name: string, sub: unknown = name.split('-')[0]) => `x.${btoa(JSON.stringify({ sub }))}.${name}`

interface Body {
  strategy?: string
  user?: string
  accessToken?: string
  refreshToken?: string
}

export type LoginPlay = ReturnType<typeof createLoginPlay>

/**
 * A client with a login, and in the place of the network a server and a storage that write down all that is asked of them. Nothing takes
 * time, except what is held back.
 */
export function createLoginPlay(stored: Record<string, string> = {}, options: ClientAuthenticationOptions = {}) {
  const log: string[] = []
  const short = (text: unknown) => String(text).replaceAll(/x\.[\w=+/-]+\.([\w-]+)/g, '$1')
  // Without quotes, which would be escaped in the file.
  const note = (line: string) => void log.push(short(line).replaceAll('"', ''))

  const items = new Map(Object.entries(stored).map(([key, name]) => [key, tokenOf(name)]))
  /** By what is done (`setItem feathers-jwt`, `POST jwt`): what it fails with, or is answered with. */
  const faults = new Map<string, unknown>()
  const held = new Map<string, Promise<void>>()
  const step = async (name: string) => {
    await held.get(name)
    if (faults.get(name) instanceof Error) throw faults.get(name)
  }
  const run = async <T>(name: string, act: () => T, detail = '') => {
    note(`${name}${detail}`)
    await step(name)
    return act()
  }
  const storage = {
    getItem: (key: string) => run(`getItem ${key}`, () => items.get(key)),
    setItem: (key: string, value: string) => run(`setItem ${key}`, () => items.set(key, value), ` ${value}`),
    removeItem: (key: string) => run(`removeItem ${key}`, () => items.delete(key))
  }

  const server = { refused: new Set<string>(), hasRefresh: true, last: 0 }
  const resultOf = (user: string, strategy: string, storedToken?: string) => {
    const number = storedToken === undefined ? ++server.last : 0
    return {
      accessToken: storedToken ?? tokenOf(`${user}-${number}`),
      ...(storedToken === undefined && server.hasRefresh && { refreshToken: tokenOf(`${user}-refresh-${number}`) }),
      authentication: { strategy },
      user
    }
  }
  const userOf = (token = '') => /([a-z]+)[-\w]*$/.exec(token)?.[1] ?? ''
  const isGood = (token: string | undefined) => token !== undefined && !server.refused.has(short(token))
  const answerTo = (method: string, path: string, body: Body, token: string | undefined): [number, unknown] => {
    const issued = body.accessToken ?? body.refreshToken
    const refused: [number, unknown] = [
      401,
      { name: 'NotAuthenticated', message: `refused ${short(issued ?? token ?? body.user)}`, code: 401 }
    ]
    if (!/^\/(authentication|v1\/login)(\?|$)/.test(path))
      return isGood(token) ? [200, { user: userOf(token) }] : refused
    if (method === 'DELETE') return isGood(token) ? [200, { user: userOf(token), left: true }] : refused
    if (issued === undefined) return isGood(body.user) ? [201, resultOf(String(body.user), 'local')] : refused
    if (!isGood(issued)) return refused
    const strategy = String(body.strategy)
    return [201, resultOf(userOf(issued), strategy, strategy === 'refresh' ? undefined : issued)]
  }
  const fetch = async (
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal }
  ) => {
    const { method, headers, body = '{}', signal } = init
    const { Accept: _, 'Content-Type': __, ...others } = headers
    const path = url.slice('http://a'.length)
    const data: Body = typeof body === 'string' ? JSON.parse(body) : {}
    const name = `${method} ${data.strategy ?? path}`
    note(
      `${method} ${path} ${typeof body === 'string' ? body : 'a stream'} ${JSON.stringify(others)}${signal ? ' with a signal' : ''}`
    )
    const token = Object.values(others).at(-1)?.replace(/^\w+ /, '')
    const answer = answerTo(method, path, data, token)
    await step(name)
    const fault = faults.get(name)
    const [status, value] =
      fault === undefined ? answer : typeof fault === 'number' ? [fault, { message: 'not now' }] : [201, fault]
    return { status, headers: { get: () => 'application/json' }, text: async () => JSON.stringify(value) }
  }

  const app = createClient().configure(rest('http://a').fetch(fetch as never))
  app.configure(authentication({ storage, ...options }))
  const set = app.set.bind(app)
  app.set = (name: string, value: unknown) => {
    note(`app: ${name} is ${value instanceof Promise ? 'a login' : JSON.stringify(value)}`)
    return set(name, value)
  }
  for (const event of ['login', 'authenticated', 'logout'])
    app.on(event, (result: unknown) => note(`event: ${event} ${JSON.stringify(result)}`))
  return {
    app,
    log,
    items,
    faults,
    server,
    short,
    /** Makes a call, and writes down what it gives. */
    async does(name: string, call: () => unknown): Promise<void> {
      const result = await outcome(call)
      note(`${name}: ${typeof result === 'string' ? result : JSON.stringify(result)}`)
    },
    /** Holds back what is done, until the function that it returns is called. */
    hold(name: string): () => void {
      let letGo = () => {}
      held.set(
        name,
        new Promise((resolve) => {
          letGo = resolve
        })
      )
      return () => {
        held.delete(name)
        letGo()
      }
    },
    /** Waits until nothing goes on but what is held back. */
    idle: (line: string) => new Promise<void>((resolve) => setImmediate(resolve)).then(() => note(`— ${line}`)),
    logIn: (user: string) => app.authenticate({ strategy: 'local', user }),
    find: () => app.service('things').find()
  }
}

/** Plays all rows, each with a client of its own, and gives what each has written down, and what is stored at its end. */
export async function playAll(rows: Rows): Promise<Record<string, string[]>> {
  // Locks of the platform, which Node has since version 24, take their time.
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: undefined })
  try {
    return await playEach(rows)
  } finally {
    Reflect.deleteProperty(globalThis, 'navigator')
    if (before) Object.defineProperty(globalThis, 'navigator', before)
  }
}

/** What a row does with its play. */
export type Rows = Readonly<
  Record<
    string,
    (play: (stored?: Record<string, string>, options?: ClientAuthenticationOptions) => LoginPlay) => Promise<unknown>
  >
>

async function playEach(rows: Rows): Promise<Record<string, string[]>> {
  const storedToken: Record<string, string[]> = {}
  for (const [name, row] of Object.entries(rows)) {
    let played: LoginPlay | undefined
    await row((stored, options) => {
      played = createLoginPlay(stored, options)
      return played
    })
    if (played === undefined) continue
    const left = [...played.items].map(([key, value]) => `${key} ${played?.short(value)}`)
    storedToken[name] = [...played.log, `stored: ${left.join(', ')}`]
  }
  return storedToken
}
