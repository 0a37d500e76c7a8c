import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { hashPassword } from 'fastify-services/authentication'

// The time of a login must not tell whether there is such a user. The server is a process of its own, and tells its port.
const cases = { 'unknown user': 'nobody@example.com', 'wrong password': 'ada@example.com' }
type Case = keyof typeof cases
const names = Object.keys(cases) as Case[]
const allowed = 10

if (process.argv[2] === 'server') await serve()
else await measure(toTries(process.env.LOGIN_TRIES ?? '200'))

function toTries(value: string): number {
  const tries = Number(value)
  if (!Number.isInteger(tries) || tries < 1) throw new Error('LOGIN_TRIES is a whole number above 0')
  return tries
}

async function serve(): Promise<void> {
  const app = Fastify()
  await app.register(services)
  app.service('users', memory({ startId: 1 }) as object, {
    hooks: { before: { create: [hashPassword('password')] } }
  })
  await app.register(authentication, { secret: randomBytes(64) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  await app.service('users').create({ email: cases['wrong password'], password: 'correct horse' })
  process.on('disconnect', () => process.exit())
  process.send?.((app.server.address() as AddressInfo).port)
}

async function measure(tries: number): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url), ['server'], { env: { ...process.env, NODE_ENV: 'production' } })
  const [port] = (await once(server, 'message')) as [number]
  const times: Record<Case, number[]> = { 'unknown user': [], 'wrong password': [] }
  const rounds = Math.min(tries, 10)
  for (let round = -rounds; round < tries; round++) {
    // Nobody is always the first one. The rounds before the first are for the compiler.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const time = await login(port, cases[name])
      if (round >= 0) times[name].push(time)
    }
  }
  server.disconnect()

  const [unknown, wrong] = names.map((name) => median(times[name])) as [number, number]
  const ratio = Math.round((1000 * unknown) / wrong) / 10
  const isWithin = Math.abs(ratio - 100) <= allowed
  console.log(`Medians of ${tries} tries each, in turn, against a server on port ${port}:`)
  console.log(names.map((name) => `${name} ${median(times[name]).toFixed(2)} ms`).join(' | '))
  console.log(
    `unknown user : wrong password = ${ratio.toFixed(1)} %, ${isWithin ? 'within' : 'NOT within'} ${allowed} %`
  )
}

/** How long the answer to a login takes, in milliseconds. */
async function login(port: number, email: string): Promise<number> {
  const body = JSON.stringify({ strategy: 'local', email, password: 'wrong horse' })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const start = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/authentication`, { method: 'POST', headers, body })
  const text = await response.text()
  const time = performance.now() - start
  const expected = '{"name":"NotAuthenticated","message":"Invalid login","code":401,"className":"not-authenticated"}'
  if (response.status !== 401 || text !== expected) throw new Error(`${response.status} ${text} is not the answer`)
  return time
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((first, second) => first - second)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle) - 1] as number)) / 2
}
