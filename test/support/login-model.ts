import type { Storage } from 'fastify-services/client'
import type { Schedule } from './schedule.js'

/** A login of a user, as the server knows it. */
export interface ModelLogin {
  readonly id: number
  readonly user: string
  /** Whether another tab has made it. */
  readonly isOfTab: boolean
  /** When what has made it began: a login, a page, another tab. */
  readonly begun: number
  isOver: boolean
}

/** What a request asks for, and what it is answered with. */
export interface ModelRequest {
  readonly method: string
  readonly url: string
  readonly token: string | undefined
  readonly body: Record<string, string> | undefined
  /** When the operation began that sends it. */
  readonly begun: number
}

export interface Answer {
  status: number
  body: object
}

/** How often what fails, and what tokens look like. It may be changed. */
export interface ModelOptions {
  isSync: boolean
  isOpaque: boolean
  serverFaults: number
  /** How often an answer is late: a lot happens before it. */
  lateness: number
  storageFaults: number
}

/** A server in memory: logins with tokens that expire, and refresh tokens that are good for one use. */
export function createModelServer(options: ModelOptions, schedule: Schedule) {
  const access = new Map<string, ModelLogin>()
  const refresh = new Map<string, ModelLogin>()
  const [expired, spent] = [new Set<string>(), new Set<string>()]
  let count = 0

  function issue(login: ModelLogin, hasRefresh = true) {
    const number = ++count
    const claims = Buffer.from(JSON.stringify({ sub: login.user, number })).toString('base64url')
    const accessToken = options.isOpaque ? `access-${login.user}-${number}` : `head.${claims}.${login.user}${number}`
    access.set(accessToken, login)
    if (!hasRefresh) return { accessToken, user: login.user }
    const refreshToken = `refresh-${login.user}-${number}`
    refresh.set(refreshToken, login)
    return { accessToken, refreshToken, user: login.user }
  }
  const open = (user: string, isOfTab: boolean, begun: number) =>
    issue({ id: ++count, user, isOfTab, begun, isOver: false }, schedule.chance(0.8))
  const loginOf = (token: string | null | undefined) => access.get(token ?? '') ?? refresh.get(token ?? '')
  const isGood = (token: string | null | undefined) => {
    const login = loginOf(token)
    return login !== undefined && !login.isOver && !expired.has(token ?? '') && !spent.has(token ?? '')
  }
  const refuse = () => ({ status: 401, body: { name: 'NotAuthenticated', code: 401, message: 'refused' } })

  function renew(token: string) {
    const login = loginOf(token)
    if (login === undefined || !isGood(token)) return undefined
    spent.add(token)
    return issue(login)
  }

  function answer({ method, url, token, body, begun }: ModelRequest): Answer {
    if (url === '/authentication' && method === 'POST') {
      // A second step is to come: there is no token yet.
      if (body?.strategy === 'local' && schedule.chance(options.serverFaults / 2))
        return { status: 201, body: { step: 'second' } }
      if (body?.strategy === 'local')
        return schedule.chance(0.25) ? refuse() : { status: 201, body: open(String(body.user), false, begun) }
      if (body?.strategy === 'jwt')
        return isGood(body.accessToken)
          ? { status: 201, body: { accessToken: body.accessToken, user: loginOf(body.accessToken)?.user } }
          : refuse()
      const renewed = renew(String(body?.refreshToken))
      return renewed ? { status: 201, body: renewed } : refuse()
    }
    const login = loginOf(token)
    if (login === undefined || !isGood(token)) return refuse()
    if (method === 'DELETE') login.isOver = true
    return { status: 200, body: { accessToken: token, user: login.user } }
  }
  return {
    open,
    loginOf,
    isGood,
    renew,
    answer,
    /** Lets the access tokens of a login expire. */
    expire(login: ModelLogin) {
      for (const [token, its] of access) if (its === login) expired.add(token)
    }
  }
}

/** A storage whose reads and writes take their time and may fail, or one like `localStorage`. */
export function createModelStorage(
  options: ModelOptions,
  schedule: Schedule,
  { onFault, onRemove }: { onFault(): void; onRemove(value: string | undefined): void }
) {
  const items = new Map<string, string>()
  let running = 0
  const perform = <T>(name: string, run: () => T) => {
    if (schedule.chance(options.storageFaults)) {
      schedule.trace.push(`${name} fails`)
      onFault()
      throw new Error('the storage has failed')
    }
    return run()
  }
  async function later<T>(name: string, run: () => T): Promise<T> {
    running++
    try {
      const isLate = schedule.chance(0.5)
      const result = await schedule.later(name, () => perform(name, run))
      if (isLate) await schedule.later(`${name}: done`, () => {})
      return result
    } finally {
      running--
    }
  }
  const start = <T>(name: string, run: () => T) => (options.isSync ? perform(name, run) : later(name, run))
  const storage: Storage = {
    getItem: (key) => start(`read ${key}`, () => items.get(key)),
    setItem: (key, value) => start(`write ${key} ${value}`, () => items.set(key, value)),
    removeItem: (key) =>
      start(`remove ${key}`, () => {
        onRemove(items.get(key))
        items.delete(key)
      })
  }
  return { storage, items, isIdle: () => running === 0 }
}
