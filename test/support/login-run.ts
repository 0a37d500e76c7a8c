import { AsyncLocalStorage } from 'node:async_hooks'
import { authentication, createClient, rest } from 'fastify-services/client'
import { createModelServer, createModelStorage, type ModelLogin, type ModelRequest } from './login-model.js'
import { createRecord, type Operation, type Result } from './login-record.js'
import { createSchedule } from './schedule.js'

export const [key, refreshKey] = ['feathers-jwt', 'feathers-jwt-refresh']

export type LoginRun = ReturnType<typeof createLoginRun>

// Which operation a request is of.
const running = new AsyncLocalStorage<Operation>()

/** An application with a server and a storage that take their time and fail as a seed decides, and all that happens to it. */
export function createLoginRun(seed: number) {
  const schedule = createSchedule(seed)
  const { chance, pick, later } = schedule
  const hasTabs = chance(0.3)
  const hasHooks = chance(0.3)
  const options = {
    isSync: chance(0.25),
    isOpaque: !hasTabs && chance(0.3),
    serverFaults: pick([0, 0, 0.12, 0.12, 0.35]),
    lateness: pick([0, 0, 0.3]),
    storageFaults: chance(0.35) ? 0.05 : 0
  }
  const isCalm = !hasTabs && options.serverFaults + options.storageFaults === 0
  const history = createRecord()
  let clock = 0
  const now = () => ++clock
  /** While it is down, no request arrives and no answer comes back. */
  const network = { isDown: false }
  const server = createModelServer(options, schedule)
  const { storage, items, isIdle } = createModelStorage(options, schedule, {
    onFault: () => history.faults.push(now()),
    onRemove: (token) => history.removed.push({ login: server.loginOf(token), isGood: server.isGood(token), at: now() })
  })

  const stored = () => server.loginOf(items.get(key))
  /** Whether a logout has resolved that began after a login. Another tab may have renewed its tokens since. */
  const isEnded = (login: ModelLogin | undefined, begun = now()) =>
    login !== undefined &&
    history.logouts.some(
      (logout) =>
        logout.at < begun &&
        logout.begun > login.begun &&
        !history.tabs.some(({ user, at }) => user === login.user && at > logout.begun)
    )

  function begin(operation: Operation) {
    operation.begun = now()
    operation.stored = stored()
    operation.underWay = history.operations.filter(
      (earlier) => earlier !== operation && /login|again/.test(earlier.kind) && !earlier.settled
    )
  }

  async function fetch(
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal }
  ) {
    const body = init.body ? JSON.parse(init.body) : undefined
    const token = init.headers.Authorization?.slice('Bearer '.length)
    const operation = running.getStore()
    const begun = operation?.begun ?? now()
    const request: ModelRequest = { method: init.method, url: url.slice(address.length), token, body, begun }
    if (!body || body.strategy === 'jwt')
      operation?.sent.push({ token: body?.accessToken ?? token, at: now(), stored: stored() })
    if (body?.refreshToken) {
      if (isCalm && history.refreshed.includes(body.refreshToken)) history.violations.push(`once: ${body.refreshToken}`)
      history.refreshed.push(body.refreshToken)
    }
    const refused = () => {
      if (network.isDown || chance(options.serverFaults)) throw new TypeError('fetch failed: ECONNREFUSED')
    }
    const reset = () => {
      if (network.isDown || chance(options.serverFaults)) throw new TypeError('fetch failed: ECONNRESET')
    }
    const name = `${operation?.name}: ${init.method} ${request.url} ${body?.strategy ?? token ?? ''}`
    const answered = async () => {
      const { status, body } = await later(`${name} arrives`, () => {
        refused()
        return chance(options.serverFaults) ? { status: 503, body: {} } : server.answer(request)
      })
      const hops = chance(options.lateness) ? 4 : 0
      for (let hop = 0; hop < hops; hop++) await later(`${name} is late`, () => {})
      await later(`${name} is answered with ${status}`, reset)
      return { status, headers: { get: () => 'application/json' }, text: async () => JSON.stringify(body) }
    }
    return Promise.race([
      answered(),
      new Promise<never>((_, reject) => init.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
    ])
  }

  const address = 'http://server'
  const app = createClient().configure(rest(address).fetch(fetch)).configure(authentication({ storage }))
  app.hooks({
    before: {
      all: [
        async ({ path }) => {
          const operation = running.getStore()
          if (hasHooks) await schedule.later(`${operation?.name}: hook`, () => {})
          if (operation?.kind === 'call' && path === 'me') begin(operation)
        }
      ]
    }
  })
  for (const event of ['login', 'logout'])
    app.on(event, (result) => {
      schedule.trace.push(`event ${event} ${(result as Result | null)?.user ?? null}`)
      history.events.push({ event, result: result as Result | null, at: now() })
      const user = stored()?.user
      const isOfTab = history.tabs.length > 0
      const expected = event === 'login' ? (result as Result).user : undefined
      if (user !== expected && !isOfTab)
        history.violations.push(`event: '${event}' while the storage has another login`)
    })

  /** Begins something. */
  function start(kind: Operation['kind'], run: () => Promise<unknown>, user?: string) {
    const name = `${kind}${history.operations.length}${user ? ` ${user}` : ''}`
    const operation: Operation = { kind, name, user, begun: 0, stored: undefined, underWay: [], sent: [] }
    begin(operation)
    history.operations.push(operation)
    schedule.trace.push(`${name} begins`)
    const settle = (settled: { error?: unknown; result?: Result }) => {
      operation.settled = { at: now(), ...settled }
      schedule.trace.push(`${name} ${'error' in settled ? `rejects: ${settled.error}` : 'resolves'}`)
    }
    running
      .run(operation, run)
      .then((result) => {
        settle({ result: result as Result })
        if (kind !== 'logout') return
        const { begun } = operation
        history.logouts.push({ name, begun, at: now() })
        for (const login of [key, refreshKey].map((key) => server.loginOf(items.get(key))))
          if (isEnded(login)) history.violations.push(`ended: ${name} left tokens of ${login?.user}`)
        const isLast = !history.operations.some(({ kind, begun }) => kind === 'login' && begun > operation.begun)
        const ended = [
          server.loginOf(operation.sent.at(-1)?.token),
          operation.underWay.length ? undefined : operation.stored
        ]
        const left = [key, refreshKey].map((key) => server.loginOf(items.get(key)))
        if (left.some((login) => login && (ended.includes(login) || (isLast && history.tabs.length === 0))))
          history.violations.push('logout: it resolved and left tokens of its user')
      })
      .catch((error) => settle({ error }))
    return operation
  }
  return { schedule, options, hasTabs, server, items, isIdle, isEnded, isCalm, network, app, history, now, start }
}
