import { key, type LoginRun, refreshKey } from './login-run.js'

const users = ['ada', 'bob', 'eve'] as const

/** Begins something of what can be done to a login: by the application, by its server, by another tab. */
function startOne({
  schedule,
  app,
  start,
  server,
  items,
  history,
  hasTabs,
  isIdle,
  isCalm,
  network,
  now
}: LoginRun): void {
  const { pick, chance, later, trace } = schedule
  const stored = () => server.loginOf(items.get(key))
  const abortable = () => {
    if (chance(0.8)) return {}
    const controller = new AbortController()
    later('abort', () => controller.abort(new Error('aborted')))
    return { connection: { signal: controller.signal } }
  }
  const login = () => {
    const user = pick(users)
    start('login', () => app.authenticate({ strategy: 'local', user }, abortable()), user)
  }
  const tab = (
    name: string,
    run: () => { accessToken: string; refreshToken?: string; user: string } | null | undefined
  ) =>
    later(
      name,
      () => {
        const tokens = run()
        if (tokens === undefined) return
        trace.push(`the tab has stored ${tokens?.user}`)
        history.tabs.push({ user: tokens?.user, at: now() })
        items.clear()
        if (tokens) items.set(key, tokens.accessToken)
        if (tokens?.refreshToken) items.set(refreshKey, tokens.refreshToken)
      },
      // What two tabs store is stored at once here: a storage has no transactions.
      isIdle
    )
  const act = pick([
    login,
    login,
    login,
    () => start('again', () => app.reAuthenticate(chance(0.7))),
    () => start('logout', () => app.logout()),
    () => start('logout', () => app.logout()),
    () => {
      for (const _ of pick([[1], [1, 2], [1, 2, 3]])) start('call', () => app.service('me').find(abortable()))
    },
    () => {
      const login = stored()
      if (login) server.expire(login)
      trace.push(`the tokens of ${login?.user} expire`)
      start('call', () => app.service('me').find())
    },
    () => {
      const login = stored()
      if (login && chance(0.4)) login.isOver = true
      trace.push(`the login of ${login?.user} is ${login?.isOver ? 'over' : 'good'}`)
    },
    ...(isCalm
      ? []
      : [
          () => {
            network.isDown = true
            trace.push('the network is down')
            later('the network is back', () => {
              network.isDown = false
            })
          }
        ]),
    ...(hasTabs
      ? [
          () => void tab('a tab logs in', () => server.open(pick(users), true, now())),
          () => void tab('a tab renews', () => server.renew((items.has(key) && items.get(refreshKey)) || '')),
          () =>
            void tab('a tab logs out', () => {
              const login = stored()
              if (login) login.isOver = true
              return null
            })
        ]
      : [])
  ])
  act()
}

/** Begins a few things, one after the other, at moments that the seed decides, and waits until all has come to its end. */
export async function runOperations(run: LoginRun): Promise<void> {
  const { schedule, app, start, server, items, options } = run
  const { chance, later, pick, random } = schedule
  const faults = { ...options }
  Object.assign(options, { serverFaults: 0, storageFaults: 0 })
  if (chance(0.25)) {
    // The page was there before.
    const { accessToken, refreshToken } = server.open(pick(users), false, 0)
    items.set(key, accessToken)
    if (refreshToken) items.set(refreshKey, refreshToken)
    run.history.page = server.loginOf(accessToken)
  } else if (chance(0.7)) start('login', () => app.authenticate({ strategy: 'local', user: 'ada' }), 'ada')
  await schedule.drain()
  Object.assign(options, faults)
  const count = 2 + Math.floor(random() * 7)
  const startNext = (left: number) => {
    if (left === 0) return
    startOne(run)
    later('…', () => startNext(left - 1))
  }
  startNext(count)
  await schedule.drain()
  Object.assign(options, { serverFaults: 0, storageFaults: 0 })
}
