import type { FastifyInstance } from 'fastify'
import type { HookContext } from 'fastify-services'
import { memoryStore, type Store } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createClock, createSessionsApp, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { createProcessStore, type Line, lose, standStill } from '../support/process-store.js'
import { ask, login } from '../support/users-app.js'

const all = { refresh: true, revocation: true }

/** Two processes with one store. `line.travel` is called for what the first asks, and what it is answered. */
async function createProcesses(t: Test, hasAdd = true, grace = 30) {
  const shared = memoryStore() as Required<Store>
  const line: Line = { travel: () => {} }
  const toOptions = (store: Store) => ({
    ...all,
    refresh: { grace },
    store: hasAdd ? store : { get: store.get, set: store.set }
  })
  const observed = createProcessStore((message) => line.travel(message), shared)
  const app = await createSessionsApp(t, toOptions(observed))
  const other = await createSessionsApp(t, toOptions(shared))
  let count = 0
  line.travel = () => count++
  await refresh(app, (await login(other)).body.refreshToken)
  const places = Array.from({ length: count }, (_, place) => place)
  return { app, other, line, places }
}

type Body = Awaited<ReturnType<typeof login>>['body']

/** Which access tokens are not refused. */
async function findOpen(app: FastifyInstance, bodies: readonly Body[]) {
  const open: string[] = []
  for (const { accessToken } of bodies)
    if ((await waysIn(app, accessToken)).join() !== '401,401,401') open.push('an access token')
  return open
}

/** Which refresh tokens are not refused. The latest comes first: an older one would end the login. */
async function findRenewable(app: FastifyInstance, bodies: readonly Body[]) {
  const renewable: string[] = []
  for (const { refreshToken } of bodies.toReversed())
    if ((await refresh(app, refreshToken)).status !== 401) renewable.push('a refresh token')
  return renewable
}

/** Logs in, and exchanges the token at a process that stands still at a question to the store. */
async function stopExchange({ app, other, line }: Awaited<ReturnType<typeof createProcesses>>, place: number) {
  const first = (await login(other)).body
  const { reached, goOn } = standStill(line, (_, count) => count === place)
  const exchange = refresh(app, first.refreshToken)
  await reached
  return { first, exchange, goOn }
}

for (const [name, hasAdd] of Object.entries({ 'with `add`': true, 'without `add`': false }))
  t.test(`wherever a process stands still in an exchange, a logout at another one holds, ${name}`, async (t) => {
    const clock = createClock(t)
    const processes = await createProcesses(t, hasAdd)
    const { other, places } = processes
    const violated: unknown[] = []
    for (const place of places)
      for (const seconds of [20, 31]) {
        const { first, exchange, goOn } = await stopExchange(processes, place)
        t.equal((await logout(other, first.accessToken)).status, 200)
        clock.forward(seconds)
        goOn()
        const late = await exchange
        const bodies = late.status === 201 ? [first, late.body] : [first]
        const alive = await findOpen(other, bodies)
        // The access token of the log-in has expired then, not that of the exchange.
        clock.forward(901 - seconds)
        alive.push(...(await findOpen(other, bodies)), ...(await findRenewable(other, bodies)))
        if (alive.length > 0) violated.push({ place, seconds, alive })
      }
    t.same(violated, [])
  })

t.test('wherever a process stands still in an exchange, the token is exchanged for one other token', async (t) => {
  const clock = createClock(t)
  const processes = await createProcesses(t)
  const { other, places } = processes
  const violated: unknown[] = []
  for (const place of places)
    for (const seconds of [20, 31]) {
      const { first, exchange, goOn } = await stopExchange(processes, place)
      clock.forward(seconds)
      const meanwhile = await refresh(other, first.refreshToken)
      goOn()
      const late = await exchange
      const statuses = [late.status, meanwhile.status]
      const winner = [late, meanwhile].find(({ status }) => status === 201)?.body
      const isTwofold = late.body.refreshToken !== meanwhile.body.refreshToken
      // Who is refused has ended the login.
      const bodies = winner ? [first, winner] : [first]
      const alive = statuses.includes(401)
        ? [...(await findOpen(other, bodies)), ...(await findRenewable(other, bodies))]
        : []
      const isLost = !statuses.includes(401) && (await refresh(other, winner?.refreshToken)).status !== 201
      const isOdd = statuses.join() === '401,503' || (statuses.join() === '201,201' && isTwofold)
      if (isOdd || alive.length > 0 || isLost) violated.push({ place, seconds, statuses, alive })
    }
  t.same(violated, [])
})

t.test(
  'who was too slow to replace a token leaves the login to the process that has exchanged it meanwhile',
  async (t) => {
    const clock = createClock(t)
    const { app, other, line } = await createProcesses(t)
    const { refreshToken } = (await login(other)).body
    const { reached, goOn } = standStill(line, ({ method, isAnswer }) => method === 'add' && isAnswer)
    const exchange = refresh(app, refreshToken)
    await reached
    clock.forward(31)
    const next = await refresh(other, refreshToken)
    goOn()
    t.match(await exchange, { status: 503, body: { message: /took too long: try again/, data: { retryAfter: 1 } } })
    t.equal((await refresh(other, next.body.refreshToken)).status, 201)
  }
)

t.test('wherever a question to the store or its answer is lost, the login goes on', async (t) => {
  const { app, other, line, places } = await createProcesses(t)
  const violated: unknown[] = []
  for (const place of places) {
    const { refreshToken } = (await login(other)).body
    lose(line, place)
    const { status, body } = await refresh(app, refreshToken)
    const again = await refresh(other, status === 201 ? body.refreshToken : refreshToken)
    if (again.status !== 201) violated.push({ place, status, again })
  }
  t.same(violated, [])
})

t.test('a store whose client asks again where it got no answer keeps nobody from an exchange', async (t) => {
  const shared = memoryStore() as Required<Store>
  const add: Store['add'] = (...entry) => shared.add(...entry) && shared.add(...entry)
  const app = await createSessionsApp(t, { ...all, store: { ...shared, add } })
  t.equal((await refresh(app, (await login(app)).body.refreshToken)).status, 201)
})

for (const [name, grace] of Object.entries({
  'the next one is given within the grace': 30,
  'without a grace the login ends': 0
}))
  t.test(`where the store stays away after it was asked to replace a token, ${name}`, async (t) => {
    const { app, other, line } = await createProcesses(t, true, grace)
    const { accessToken, refreshToken } = (await login(other)).body
    let isAway = false
    line.travel = ({ method, isAnswer }) => {
      if (isAway) throw new Error('The store is away')
      isAway = method === 'set' && isAnswer
    }
    t.equal((await refresh(app, refreshToken)).status, 500)
    const again = await refresh(other, refreshToken)
    if (grace > 0) t.equal((await refresh(other, again.body.refreshToken)).status, 201)
    else t.match(again, { status: 401, body: { message: /it was used before/ } })
    const status = grace > 0 ? 200 : 401
    t.equal((await waysIn(other, accessToken))[0], status)
  })

t.test('claims of which no token can be made use up no refresh token, and no login is stored', async (t) => {
  let isTooLong = true
  const keys = new Set<string>()
  const store = createProcessStore(({ method, key }) => method === 'set' && keys.add(key))
  const addClaims = async ({ params }: HookContext) => {
    if (isTooLong) params.payload = { roles: 'r'.repeat(9000) }
  }
  const app = await createSessionsApp(t, { ...all, store, hooks: { before: { create: [addClaims] } } })
  t.equal((await login(app)).status, 500)
  t.same([...keys], [])
  isTooLong = false
  const { refreshToken } = (await login(app)).body
  isTooLong = true
  t.equal((await refresh(app, refreshToken)).status, 500)
  isTooLong = false
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('a token that a clock ahead has signed, or ended, is refused until it has expired by all clocks', async (t) => {
  const clock = createClock(t)
  const ahead = async <T>(task: () => Promise<T>): Promise<T> => {
    clock.forward(120)
    const result = await task()
    clock.forward(-120)
    return result
  }
  // The store has a clock of its own.
  const shared = memoryStore() as Required<Store>
  let isAhead = false
  const set: Store['set'] = (key, value, seconds) => shared.set(key, value, seconds - (isAhead ? 120 : 0))
  const app = await createSessionsApp(t, { ...all, store: { ...shared, set } })

  const first = (await login(app)).body
  const next = (await ahead(() => refresh(app, first.refreshToken))).body
  t.equal((await logout(app, first.accessToken)).status, 200)
  clock.forward(910)
  t.same(await waysIn(app, next.accessToken), [401, 401, 401])
  t.match((await ask(app, next.accessToken, '/me')).body, { message: /it was revoked/ })

  const { accessToken } = (await login(app)).body
  isAhead = true
  t.equal((await ahead(() => logout(app, accessToken))).status, 200)
  clock.forward(890)
  t.match((await ask(app, accessToken, '/me')).body, { message: /it was revoked/ })
})
