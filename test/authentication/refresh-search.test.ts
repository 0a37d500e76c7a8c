import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createSessionsApp, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { createGenerator } from '../support/random.js'
import { createSharedStore } from '../support/shared-store.js'
import { login } from '../support/users-app.js'

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
      return { status, body }
    })
    const end = random() < 0.25 ? logout(choose(processes), accessTokens.at(-1) as string) : undefined
    const answers = await Promise.all(exchanges)
    if ((await end)?.status === 200) isOver = true

    const wins = answers.filter(({ status }) => status === 201)
    for (const { body } of wins) {
      accessTokens.push(body.accessToken)
      refreshTokens.push(body.refreshToken)
    }
    const statuses = answers.map(({ status }) => status).join()
    if (wins.length > 1) return `a token was exchanged twice: ${statuses}`
    if (!isOver) {
      if (answers.length > 0 && wins.length === 0) return `nobody has got the next token: ${statuses}`
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
  'of what two processes get at the same moments, a refresh token is exchanged once, and an end is an end',
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
