import { runOperations } from './login-operations.js'
import type { Operation, Result } from './login-record.js'
import { key, type LoginRun, refreshKey } from './login-run.js'

/** What must hold, whatever happens in whatever order. A violation begins with the name of what does not hold. */
export const invariants = {
  hang: 'all that began settles',
  rejection: 'no rejection is left unhandled',
  sent: 'a call, a logout or `reAuthenticate` is sent with the token of the user it began with, or of the login under way that it waited for; when that failed, of the user whom it left logged in',
  retried: 'a call that is made again is made again as the same user',
  event: '`login` comes when the storage has the tokens of that login, `logout` when it has none',
  state: '`get(authentication)`, the stored tokens and the token of a new call are of one user, or none',
  pair: 'no token of one user stands beside the refresh token of another',
  silent: 'new calls go as the user of the last `login` event, or, after `logout`, as none',
  shown: '`get(authentication)` is that of the user who is logged in, but at the start, and after a login that failed',
  lost: 'a login ends by a logout, a refusal, a fault of the storage, or another tab, and not without',
  logout: 'a `logout()` that has resolved leaves no token of its user',
  ended: 'after a `logout()` that has resolved, nobody is logged in who logged in before it',
  login: 'a login that was accepted, and that nothing has overtaken, is told by its event',
  tab: 'tokens of a user whom another tab has logged in are removed by a login, and by what was sent as that user, and by nothing else',
  renewal: 'a call with a token that can be renewed gets its answer; one that can not ends the login, and is told',
  once: 'a refresh token is sent once, unless an answer was lost',
  after: 'whatever has happened, one can log in, call, and log out'
}

const is401 = (error: unknown) => (error as { code?: number }).code === 401

/** Who may be the user of what an operation sent, when all is known. */
function mayBe(user: string | undefined, { history, server }: LoginRun, operation: Operation): boolean {
  const sentAt = operation.sent[0]?.at ?? 0
  const isOfTab = history.tabs.some((tab) => tab.user === user && tab.at > operation.begun && tab.at < sentAt)
  const last = history.operations.findLast(({ kind, begun }) => kind === 'login' && begun < operation.begun)
  const waitedFor = last && operation.underWay.includes(last) ? last : undefined
  if (user === undefined || isOfTab || user === waitedFor?.user) return true
  if (waitedFor?.settled && !('error' in waitedFor.settled)) return false
  const others = operation.underWay.map((running) => running.user ?? server.loginOf(running.sent[0]?.token)?.user)
  return [operation.stored?.user, ...others].includes(user)
}

function checkOperations(run: LoginRun, violate: (name: keyof typeof invariants, text: string) => void) {
  const { history, server } = run
  for (const operation of history.operations) {
    const { kind, name, sent, settled, begun } = operation
    if (!settled) violate('hang', name)
    const [first, ...others] = sent.map(({ token }) => server.loginOf(token)?.user)
    if (!mayBe(first, run, operation)) violate('sent', `${name} as ${first}`)
    for (const { token } of sent)
      if (run.isEnded(server.loginOf(token), begun)) violate('ended', `${name} as ${server.loginOf(token)?.user}`)
    const { stored, at = 0 } = sent[0] ?? {}
    const isOvertaken = history.operations.some(
      (earlier) => earlier.kind === 'login' && earlier.begun > begun && earlier.begun < at
    )
    if (!first && stored && stored === operation.stored && !isOvertaken) violate('sent', `${name} as none`)
    if (others.some((user) => user !== first)) violate('retried', `${name} as ${others}`)
    const isAlone = history.operations.every(
      (earlier) =>
        earlier === operation || earlier.begun < begun || earlier.begun > (settled?.at ?? 0) || earlier.kind === 'call'
    )
    if (kind !== 'login' || !isAlone || !settled || 'error' in settled) continue
    if (
      !history.events.some(({ event, result, at }) => event === 'login' && result === settled.result && at < settled.at)
    )
      violate('login', name)
  }
}

function checkRemoved({ history, server }: LoginRun, violate: (name: keyof typeof invariants, text: string) => void) {
  for (const { login, isGood, at } of history.removed) {
    const isUnderWay = ({ kind, begun, settled }: Operation) =>
      kind !== 'call' && begun < at && (settled?.at ?? at) >= at
    if (isGood && !history.operations.some(isUnderWay)) violate('lost', `good tokens of ${login?.user}`)
    const came = history.tabs.find((tab) => tab.user === login?.user)?.at ?? 0
    const isTheirs = ({ kind, begun, settled, sent, stored }: Operation) =>
      (kind === 'login' && begun < at && (settled?.at ?? at) > came) ||
      (kind === 'logout' && begun < at && stored?.user === login?.user) ||
      sent.some(({ token }) => server.loginOf(token)?.user === login?.user)
    if (login?.isOfTab && !history.operations.some(isTheirs)) violate('tab', login.user)
  }
}

/** What holds when all has settled. */
async function checkState(run: LoginRun, violate: (name: keyof typeof invariants, text: string) => void) {
  const { history, server, items, app, start, schedule } = run
  const login = server.loginOf(items.get(key))
  const refresh = server.loginOf(items.get(refreshKey))
  const shown = await Promise.resolve(app.get('authentication') as Promise<Result> | null | undefined).catch(
    (error) => {
      violate('state', `shown ${error}`)
      return null
    }
  )
  const last = history.events.at(-1)
  const isOfTab = login ? login.isOfTab : history.tabs.some(({ user }) => user === undefined)
  const text = `stored ${login?.user}, shown ${shown?.user}, last event ${last?.event} ${last?.result?.user}`
  if (refresh && login && refresh !== login) violate('pair', `${login.user} ${refresh.user}`)
  if (refresh && !login && history.faults.length === 0 && !isOfTab)
    violate('pair', `a refresh token alone: ${refresh.user}`)
  if (shown && shown.user !== login?.user && !isOfTab) violate('state', text)
  const isOfPage = history.events.length === 0 && login === history.page
  if (login && !isOfTab && !isOfPage && (last?.event !== 'login' || last.result?.user !== login.user))
    violate('silent', text)
  const since = last?.at ?? 0
  const failed = history.operations.filter(
    ({ kind, settled }) => /login|again/.test(kind) && settled && settled.at > since && 'error' in settled
  )
  const isRefused = failed.some(({ settled }) => is401(settled?.error))
  const isFaulty = history.faults.some((at) => at > since)
  if (!login && last?.event === 'login' && last.result?.user && !isRefused && !isFaulty && !isOfTab)
    violate('lost', text)

  if (login && last && !shown && failed.length === 0 && !isOfTab) violate('shown', text)

  const [isGood, canRenew] = [key, refreshKey].map((key) => server.isGood(items.get(key)))
  const call = start('call', () => app.service('me').find())
  await schedule.drain()
  const user = server.loginOf(call.sent[0]?.token)?.user
  if (user !== login?.user) violate('state', `${text}, a call goes as ${user}`)
  const answered = call.settled?.result?.user
  if (answered !== (login && (isGood || canRenew) ? login.user : undefined)) violate('renewal', `${text}: ${answered}`)
  const isEnded = login && refresh && !isGood && !canRenew
  if (isEnded && (items.size > 0 || history.events.at(-1)?.event !== 'logout' || app.get('authentication')))
    violate('renewal', `${text}: refused, and not told`)
}

/** Runs one seed: the invariants that are violated, and what has happened. */
export async function searchLogins(run: LoginRun): Promise<string[]> {
  const { history, schedule, app, start, items } = run
  const violate = (name: keyof typeof invariants, text: string) => history.violations.push(`${name}: ${text}`)
  const onRejection = (reason: unknown) => violate('rejection', String(reason))
  process.on('unhandledRejection', onRejection)
  try {
    await runOperations(run)
    checkOperations(run, violate)
    checkRemoved(run, violate)
    await checkState(run, violate)
    for (const act of ['login', 'call', 'logout'] as const) {
      const operation = start(
        act,
        () => {
          if (act === 'login') return app.authenticate({ strategy: 'local', user: 'ada' })
          return act === 'call' ? app.service('me').find() : app.logout()
        },
        act === 'login' ? 'ada' : undefined
      )
      await schedule.drain()
      if (act !== 'login' && operation.settled?.result?.user !== 'ada') violate('after', `${act} is refused`)
      if (act === 'login' && 'error' in (operation.settled ?? {})) return history.violations
    }
    if (items.size > 0 || app.get('authentication') || history.events.at(-1)?.event !== 'logout')
      violate('after', 'the logout is none')
  } catch (error) {
    violate('hang', String(error))
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  return history.violations
}
