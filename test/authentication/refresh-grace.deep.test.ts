import type { FastifyInstance } from 'fastify'
import { type AuthenticationOptions, memoryStore, type Store, type TokenPayload } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { createGenerator } from '../support/random.js'
import { login } from '../support/users-app.js'

const all = { refresh: true, revocation: true }
const used = { status: 401, body: { message: 'Invalid refresh token: it was used before' } }

t.test('a used refresh token gets the same next one for 30 seconds, and then ends the login', async (t) => {
  const clock = createClock(t)
  const app = await createSessionsApp(t, all)
  const first = (await login(app)).body
  const second = (await refresh(app, first.refreshToken)).body
  for (const seconds of [0, 14, 14]) {
    clock.forward(seconds)
    const again = await refresh(app, first.refreshToken)
    t.equal(again.status, 201)
    t.equal(again.body.refreshToken, second.refreshToken)
    t.same(await waysIn(app, again.body.accessToken), [200, 200, 201])
    t.equal(again.body.authentication.payload.sid, first.authentication.payload.sid)
  }
  clock.forward(3)
  t.match(await refresh(app, first.refreshToken), used)
  t.equal((await refresh(app, second.refreshToken)).status, 401)
  t.same(await waysIn(app, second.accessToken), [401, 401, 401])
})

t.test('the next token ends the grace when it is used: an older one is a copy', async (t) => {
  const app = await createSessionsApp(t, all)
  const first = (await login(app)).body
  const second = (await refresh(app, first.refreshToken)).body
  const third = (await refresh(app, second.refreshToken)).body
  t.equal((await refresh(app, second.refreshToken)).body.refreshToken, third.refreshToken)
  t.match(await refresh(app, first.refreshToken), used)
  for (const { refreshToken } of [third, second]) t.equal((await refresh(app, refreshToken)).status, 401)
})

for (const [name, store] of Object.entries({ 'in memory': undefined, 'without `add`': createStore().store }))
  t.test(`uses of one refresh token at the same moment get the same next one, with a store ${name}`, async (t) => {
    const app = await createSessionsApp(t, { ...all, ...(store && { store }) })
    const { refreshToken } = (await login(app)).body
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(app, refreshToken)))
    t.equal(new Set(answers.map(({ body }) => body.refreshToken)).size, 1)
    for (const { body } of answers) t.same(await waysIn(app, body.accessToken), [200, 200, 201])
    t.equal((await refresh(app, answers[0]?.body.refreshToken)).status, 201)
  })

t.test('the grace lasts as long as the option says, and `0` is none', async (t) => {
  const clock = createClock(t)
  for (const [grace, seconds] of [
    ['5s', 5],
    [45, 45],
    [0, 0]
  ] as const) {
    const app = await createSessionsApp(t, { refresh: { grace } })
    const { refreshToken } = (await login(app)).body
    const next = await refresh(app, refreshToken)
    clock.forward(Math.max(0, seconds - 2))
    if (seconds > 0) t.equal((await refresh(app, refreshToken)).body.refreshToken, next.body.refreshToken)
    clock.forward(3)
    t.match(await refresh(app, refreshToken), used)
  }
})

t.test('a logout, a rule, and a deleted user hold within the grace', async (t) => {
  let isOver = false
  const app = await createSessionsApp(t, { ...all, isRevoked: () => isOver })
  const start = async () => {
    const { refreshToken } = (await login(app)).body
    return { refreshToken, next: (await refresh(app, refreshToken)).body }
  }
  const { refreshToken, next } = await start()
  isOver = true
  t.equal((await refresh(app, refreshToken)).status, 401, 'a new password, for example')
  isOver = false
  t.equal((await refresh(app, refreshToken)).body.refreshToken, next.refreshToken, 'the rule ends no login')
  t.equal((await logout(app, next.accessToken)).status, 200)
  for (const token of [refreshToken, next.refreshToken]) t.equal((await refresh(app, token)).status, 401)

  const byToken = await start()
  const authentication = { strategy: 'refresh', refreshToken: byToken.refreshToken }
  await app.service('authentication').remove(null, { authentication })
  t.equal((await refresh(app, byToken.refreshToken)).status, 401, 'a logout by the used token ends the login')
  t.equal((await refresh(app, byToken.next.refreshToken)).status, 401)

  const last = await start()
  await app.service('users').remove(1)
  t.equal((await refresh(app, last.refreshToken)).status, 401)
})

t.test('what the store holds in the grace gives no token without the used one', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  const first = (await login(app)).body
  const second = (await refresh(app, first.refreshToken)).body
  const texts = sets.flatMap(({ key, value }) => [key, value])
  for (const { refreshToken } of [first, second])
    for (const part of [refreshToken, ...refreshToken.split('.')])
      t.notOk(texts.some((text) => text.includes(part) || part.includes(text)))
  const words = new Set(texts.flatMap((text) => text.split(/["\\:,{}[\]]+/)))
  const family = first.refreshToken.slice(0, 22)
  for (const word of words) t.equal((await refresh(app, `${word}.${word}`)).status, 401)
  // Whoever knows the beginning of the tokens, but no token, can only end the login.
  t.match(await refresh(app, `${family}.${'a'.repeat(43)}`), used)
})

/** A clock that stands still, and is ahead in some processes. */
function createFrozenClock(t: Test) {
  const { now } = Date
  const clock = { seconds: Math.floor(now() / 1000), skew: 0 }
  Date.now = () => (clock.seconds + clock.skew) * 1000
  t.teardown(() => {
    Date.now = now
  })
  return clock
}

type Clock = ReturnType<typeof createFrozenClock>

/** What must be answered to a refresh token, in plain words: it keeps no hashes, and has one clock. */
class Model {
  readonly tokens: string[] = []
  usedAt = Number.NEGATIVE_INFINITY
  isOver = false
  isRefused = false
  readonly #grace: number

  constructor(grace: number) {
    this.#grace = grace
  }

  /** @returns what is wrong with the answer */
  judge(token: string, status: number, next: string, now: number): string | undefined {
    const place = this.tokens.indexOf(token) - this.tokens.length
    const isInGrace = place === -2 && now - this.usedAt < this.#grace
    if (this.isOver || (place !== -1 && !isInGrace)) {
      this.isOver = true
      return status === 401 ? undefined : `${status} to a token of a login that is over, ${place}`
    }
    if (this.isRefused) return status === 401 ? undefined : `${status} in spite of a rule`
    if (status !== 201) return `${status} to a good token, ${place}`
    if (isInGrace) return next === this.tokens.at(-1) ? undefined : 'another token within the grace'
    if (this.tokens.includes(next)) return 'a token comes a second time'
    this.tokens.push(next)
    this.usedAt = now
    return undefined
  }
}

// SEED=7 RUNS=2000 tries others.
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 40)

/** A login, its client in two tabs that get no answer at times, a thief with copies, and processes that are restarted. */
async function runLogin(
  start: () => Promise<FastifyInstance>,
  clock: Clock,
  grace: number,
  random: () => number,
  rule: { since: number }
) {
  const choose = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const processes = [await start(), await start()]
  const skews = [choose([-120, 0, 120]), choose([-120, 0, 120])]
  const at = async <T>(task: (app: FastifyInstance) => Promise<T>): Promise<T> => {
    const place = choose([0, 1])
    clock.skew = skews[place] as number
    try {
      return await task(processes[place] as FastifyInstance)
    } finally {
      clock.skew = 0
    }
  }
  const model = new Model(grace)
  const { body } = await at((app) => login(app))
  model.tokens.push(body.refreshToken)
  const accessTokens = [body.accessToken]
  // What each has: the tabs share a storage at times, the thief has copied a token.
  const held = { tab: body.refreshToken, otherTab: body.refreshToken, thief: body.refreshToken }

  for (let step = 0; step < 14; step++) {
    const act = random()
    if (act < 0.6) {
      const who = choose(['tab', 'tab', 'otherTab', 'otherTab', 'thief'] as const)
      const token = held[who]
      const { status, body } = await at((app) => refresh(app, token))
      const fault = model.judge(token, status, body.refreshToken, clock.seconds)
      if (fault !== undefined) return `step ${step}: ${fault}`
      if (status !== 201) continue
      accessTokens.push(body.accessToken)
      if (random() < 0.7) held[who] = body.refreshToken
      if (who !== 'thief' && random() < 0.7) held.tab = held.otherTab = held[who]
    } else if (act < 0.65) held.thief = choose([held.tab, held.otherTab])
    else if (act < 0.9) clock.seconds += choose([1, 7, grace - 1, grace, grace + 1, 40])
    else if (act < 0.94) processes[choose([0, 1])] = await start()
    else if (act < 0.97 && !model.isRefused) {
      rule.since = clock.seconds + 121
      model.isRefused = true
    } else {
      const { status } = await at((app) => logout(app, accessTokens.at(-1) as string))
      if (status === 200) model.isOver = true
    }
    if (!model.isOver && !model.isRefused) continue
    for (const token of accessTokens)
      if ((await at((app) => waysIn(app, token))).join() !== '401,401,401')
        return `step ${step}: an access token of a login that is over`
  }
  return undefined
}

t.test('so a plain model has it, with tabs, lost answers, a thief, restarts, and clocks that differ', async (t) => {
  const clock = createFrozenClock(t)
  const inner = memoryStore() as Required<Store>
  /** The store has a clock of its own. */
  const onTime =
    <A extends unknown[], R>(task: (...args: A) => R) =>
    (...args: A): R => {
      const { skew } = clock
      clock.skew = 0
      try {
        return task(...args)
      } finally {
        clock.skew = skew
      }
    }
  const store = { get: onTime(inner.get), set: onTime(inner.set), add: onTime(inner.add), delete: onTime(inner.delete) }
  const rule = { since: 0 }
  const isRevoked = ({ auth_time }: TokenPayload) => Number(auth_time) < rule.since
  const create = (grace: number) => () => {
    const options: Partial<AuthenticationOptions> = {
      revocation: true,
      refresh: { grace },
      store,
      isRevoked,
      jwt: { expiresIn: '2h' }
    }
    return createSessionsApp(t, options)
  }
  const violated: string[] = []
  for (let run = seed; run < seed + runs; run++) {
    const random = createGenerator(run)
    rule.since = 0
    const grace = [5, 30, 60][run % 3] as number
    const problem = await runLogin(create(grace), clock, grace, random, rule)
    if (problem !== undefined) violated.push(`SEED=${run} RUNS=1: ${problem}`)
    clock.seconds += 1000
  }
  t.same(violated, [])
})
