import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import type { HookContext } from 'fastify-services'
import { memoryStore, type Store } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createSessionsApp, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { createProcessStore, type Line, lose, standStill } from '../support/process-store.js'
import { createGenerator } from '../support/random.js'
import { createSharedStore, travel } from '../support/shared-store.js'
import { ask, login } from '../support/users-app.js'

// SEED=7 RUNS=2000 tries others.
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 40)

/**
 * A login whose client, and somebody who has copied its tokens, send requests to two processes at the same moments.
 * @returns what was violated
 */
async function runLogin(processes: readonly FastifyInstance[], random: () => number): Promise<string | undefined> {
  const choose = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const { accessToken, refreshToken } = (await login(choose(processes))).body
  const accessTokens = [accessToken]
  const refreshTokens = [refreshToken]
  for (let round = 0; round < 4; round++) {
    const latest = refreshTokens.at(-1) as string
    let isOver = false
    const exchanges = Array.from({ length: Math.floor(random() * 4) }, async () => {
      const token = random() < 0.85 ? latest : choose(refreshTokens)
      const { status, body } = await refresh(choose(processes), token)
      if (status === 401) isOver = true
      return { token, status, body }
    })
    const end = random() < 0.25 ? logout(choose(processes), accessTokens.at(-1) as string) : undefined
    const answers = await Promise.all(exchanges)
    if ((await end)?.status === 200) isOver = true

    const wins = answers.filter(({ status }) => status === 201)
    for (const { body } of wins) {
      accessTokens.push(body.accessToken)
      if (!refreshTokens.includes(body.refreshToken)) refreshTokens.push(body.refreshToken)
    }
    const statuses = answers.map(({ status }) => status).join()
    const next = new Set(wins.map(({ token, body }) => (token === latest ? body.refreshToken : latest)))
    next.delete(latest)
    if (next.size > 1) return `a token was exchanged for two: ${statuses}`
    if (!isOver) {
      if (answers.some(({ token }) => token === latest) && next.size === 0)
        return `nobody has got the next token: ${statuses}`
      continue
    }
    for (const app of processes) {
      // The latest first: an older one would end the login.
      for (const token of refreshTokens.toReversed())
        if ((await refresh(app, token)).status !== 401) return `a refresh token of a login that is over: ${statuses}`
      for (const token of accessTokens)
        if ((await waysIn(app, token)).join() !== '401,401,401') return `a token of a login that is over: ${statuses}`
    }
    return undefined
  }
  return (await refresh(choose(processes), refreshTokens.at(-1) as string)).status === 201 ? undefined : 'it was lost'
}

t.test(
  'of what two processes get at the same moments, a refresh token is exchanged for one other token, and an end is an end',
  async (t) => {
    let random = createGenerator(0)
    const store = createSharedStore(() => random())
    const options = { refresh: true, revocation: true, store }
    const processes = [await createSessionsApp(t, options), await createSessionsApp(t, options)]
    const violated: string[] = []
    for (let run = seed; run < seed + runs; run++) {
      random = createGenerator(run)
      const problem = await runLogin(processes, random)
      if (problem !== undefined) violated.push(`SEED=${run} RUNS=1: ${problem}`)
    }
    t.same(violated, [])
  }
)

/** A clock that is put forward by hand, and differs from process to process. */
function createClocks(t: Test) {
  const { now } = Date
  const ahead = new AsyncLocalStorage<number>()
  let passed = 0
  Date.now = () => now() + passed + (ahead.getStore() ?? 0)
  t.teardown(() => {
    Date.now = now
  })
  return {
    forward: (seconds: number) => {
      passed += seconds * 1000
    },
    runAhead: <T>(seconds: number, task: () => T) => ahead.run(seconds * 1000, task)
  }
}

type Clocks = ReturnType<typeof createClocks>

/** A process with a clock of its own. It may stand still, a message between it and the store may be lost, and its claims may be too many for a token. */
interface Process {
  readonly app: FastifyInstance
  readonly line: Line
  /** How far its clock is ahead, in seconds. */
  skew: number
  hasTooManyClaims: boolean
}

async function createProcess(t: Test, shared: Required<Store>, random: () => number): Promise<Process> {
  const line: Line = { travel: () => {} }
  const addClaims = async ({ params }: HookContext) => {
    if (process.hasTooManyClaims) params.payload = { roles: 'r'.repeat(9000) }
  }
  const store = createProcessStore(async (message) => {
    await travel(random)
    await line.travel(message)
  }, shared)
  const options = { refresh: true, revocation: true, store, hooks: { before: { create: [addClaims] } } }
  const process: Process = { app: await createSessionsApp(t, options), line, skew: 0, hasTooManyClaims: false }
  return process
}

const disturbances = ['none', 'stillness', 'loss', 'claims'] as const

/**
 * A login whose processes stand still, lose what they ask the store or are answered, and have clocks that differ.
 * @returns what was violated
 */
async function runDisturbedLogin(processes: readonly Process[], clocks: Clocks, random: () => number) {
  const choose = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const at = <T>(process: Process, task: (app: FastifyInstance) => T) =>
    clocks.runAhead(process.skew, () => task(process.app))
  for (const process of processes) process.skew = choose([-120, 0, 120])
  const bodies = [(await at(choose(processes), (app) => login(app))).body]
  const wins = new Map<string, Set<string>>()
  let isOver = false

  /** Exchanges the latest token. */
  async function exchange(process: Process): Promise<number> {
    const { refreshToken } = bodies.at(-1) as (typeof bodies)[number]
    const { status, body } = await at(process, (app) => refresh(app, refreshToken))
    if (status === 401) isOver = true
    if (status === 201) {
      wins.set(refreshToken, (wins.get(refreshToken) ?? new Set()).add(body.refreshToken))
      bodies.push(body)
    }
    return status
  }

  async function end(process: Process): Promise<void> {
    const { accessToken } = bodies.at(-1) as (typeof bodies)[number]
    if ((await at(process, (app) => logout(app, accessToken))).status === 200) isOver = true
  }

  for (let round = 0; round < 4 && !isOver; round++) {
    const disturbance = choose(disturbances)
    const [process, bystander] = random() < 0.5 ? processes : processes.toReversed()
    if (process === undefined || bystander === undefined) throw new Error('It takes two processes')
    if (disturbance === 'stillness') {
      const place = Math.floor(random() * 19)
      const { reached, goOn } = standStill(process.line, (_, count) => count === place)
      const late = exchange(process)
      await Promise.race([reached, late])
      clocks.forward(choose([0, 10, 31]))
      await choose([exchange, end, async () => {}])(bystander)
      clocks.forward(choose([0, 10, 31]))
      goOn()
      await late
    } else if (disturbance === 'loss') {
      lose(process.line, Math.floor(random() * 19))
      if ((await exchange(process)) === 500) {
        const status = await exchange(choose(processes))
        if (status !== 201) return `${status} after a message was lost`
      }
    } else if (disturbance === 'claims') {
      process.hasTooManyClaims = true
      const answers = [await exchange(process), (await at(process, (app) => login(app))).status]
      process.hasTooManyClaims = false
      if (answers.join() !== '500,500') return `${answers} for claims of which no token can be made`
    } else if ((await exchange(process)) !== 201) return 'an exchange that nothing disturbs is refused'
    process.line.travel = () => {}
    if ([...wins.values()].some(({ size }) => size > 1)) return `a token was exchanged for two: ${disturbance}`
  }

  if (!isOver) await end(choose(processes))
  for (const seconds of [0, 700, 100, 100, 100, 100, 100, 100]) {
    clocks.forward(seconds)
    for (const { accessToken } of bodies)
      for (const process of processes)
        if ((await at(process, (app) => ask(app, accessToken, '/me'))).status !== 401)
          return 'an access token of a login that is over'
  }
  // Last: a refresh token of a login that is over revokes its access tokens again.
  for (const { refreshToken } of bodies.toReversed())
    for (const process of processes)
      if ((await at(process, (app) => refresh(app, refreshToken))).status !== 401)
        return 'a refresh token of a login that is over'
  return undefined
}

t.test('so it is where processes stand still, have clocks that differ, and lose what the store answers', async (t) => {
  let random = createGenerator(0)
  const clocks = createClocks(t)
  const inner = memoryStore() as Required<Store>
  // The store has a clock of its own.
  const shared: Required<Store> = {
    get: (key) => clocks.runAhead(0, () => inner.get(key)),
    set: (...entry) => clocks.runAhead(0, () => inner.set(...entry)),
    add: (...entry) => clocks.runAhead(0, () => inner.add(...entry)),
    delete: (key) => clocks.runAhead(0, () => inner.delete(key))
  }
  const create = () => createProcess(t, shared, () => random())
  const processes = [await create(), await create()]
  const violated: string[] = []
  for (let run = seed; run < seed + runs; run++) {
    random = createGenerator(run)
    const problem = await runDisturbedLogin(processes, clocks, random)
    if (problem !== undefined) violated.push(`SEED=${run} RUNS=1: ${problem}`)
    for (const { line } of processes) line.travel = () => {}
  }
  t.same(violated, [])
})
