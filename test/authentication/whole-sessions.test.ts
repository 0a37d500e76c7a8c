import type { FastifyRequest } from 'fastify'
import type { TokenPayload } from 'fastify-services/authentication'
import t from 'tap'
import { memoryStore } from '../../lib/authentication/store.js'
import { isKept } from '../support/kept.js'
import { claims, forge } from '../support/tokens.js'
import { createLoginHost, type LoginHost, password, send } from './login-host.js'
import { outcomeOf, stopClock, today } from './outcomes.js'

const good = { strategy: 'local', email: 'bob@example.com', password }
const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` })
const refresh = (refreshToken: unknown) => ({ payload: { strategy: 'refresh', refreshToken } })
const made = (changes: object = {}) => forge(claims({ iat: today, exp: today + 20_000, sub: '2', ...changes }))

/** Answers by the name of the row, and the tokens of the answer before. */
function createRows(host: LoginHost) {
  const kept: Record<string, unknown> = {}
  const ask = async (name: string, request: Parameters<typeof send>[1]) => {
    const { row, body } = await send(host, request)
    kept[name] = row
    return body
  }
  const call = async (name: string, run: () => unknown) => {
    kept[name] = [await outcomeOf(run), ...(host.flush() as unknown[])]
  }
  return { kept, ask, call }
}

t.test('a login from its begin to its end', async (t) => {
  const forward = stopClock(t)
  const all: Record<string, unknown> = {}
  for (const revocation of [true, false]) {
    const host = await createLoginHost(t, { refresh: { expiresIn: '1h' }, jwt: { expiresIn: '10m' }, revocation })
    const { kept, ask, call } = createRows(host)
    all[revocation ? 'revoked' : 'not revoked'] = kept
    const first = await ask('a login', { payload: good })
    forward(60)
    const second = await ask('refreshed', refresh(first.refreshToken))
    const tokens = {
      ...{ undefined: undefined, null: null, number: 5, empty: '', short: 'x', list: [second.refreshToken] },
      ...{ longer: `${second.refreshToken}x`, 'longer before': `x${second.refreshToken}` },
      ...{ unknown: `${'a'.repeat(22)}.${'a'.repeat(43)}`, 'without a dot': 'a'.repeat(66) }
    }
    for (const [name, token] of Object.entries(tokens)) await ask(`refreshed by ${name}`, refresh(token))
    await ask('refreshed with an access token', {
      ...refresh(second.refreshToken),
      headers: bearer(second.accessToken)
    })
    await ask('used before', refresh(first.refreshToken))
    await ask('used before, again', refresh(first.refreshToken))
    await ask('the access token', { payload: { strategy: 'jwt', accessToken: second.accessToken } })
    const third = await ask('another login', { payload: good })
    await ask('out', { method: 'DELETE', headers: bearer(third.accessToken) })
    await ask('out again', { method: 'DELETE', headers: bearer(third.accessToken) })
    await ask('refreshed when it is out', refresh(third.refreshToken))
    const fourth = await ask('a third login', { payload: good })
    await ask('out by its id', {
      method: 'DELETE',
      url: `${host.url}/${fourth.accessToken}`,
      headers: bearer(fourth.accessToken)
    })
    for (const id of ['x', 'null', '__proto__'])
      await ask(`out by ${id}`, { method: 'DELETE', url: `${host.url}/${id}`, headers: bearer(made()) })
    const fifth = await ask('a fourth login', { payload: good })
    forward(3599)
    const sixth = await ask('a second before its end', refresh(fifth.refreshToken))
    forward(1)
    await ask('at its end', refresh(sixth.refreshToken))
    const seventh = (await host.service.create(good)) as Record<string, unknown>
    host.flush()
    for (const [name, authentication] of Object.entries({
      none: undefined,
      null: null,
      jwt: { strategy: 'jwt', accessToken: seventh.accessToken },
      local: good,
      'no strategy': {},
      'jwt without a token': { strategy: 'jwt' },
      refresh: { strategy: 'refresh', refreshToken: seventh.refreshToken }
    }))
      await call(`of the server, out by ${name}`, () => host.service.remove(null, { authentication }))
    await call('of the server, out by another id', () =>
      host.service.remove('x', { authentication: { strategy: 'jwt', accessToken: made() } })
    )
    await call('of the server, out by its id', () =>
      host.service.remove(made(), { authentication: { strategy: 'jwt', accessToken: made() } })
    )
  }
  isKept(t, all, 'test/authentication/whole-sessions.txt')
})

const ways: Record<string, Record<string, string>> = {
  'no token': {},
  'a token': bearer(made()),
  'a bad token': bearer('x'),
  'for nobody': bearer(made({ jti: 'nobody', sub: '77' })),
  'for a locked one': bearer(made({ jti: 'locked', sub: '6' })),
  'without an id': bearer(made({ jti: undefined })),
  'of a login': bearer(made({ jti: 'login', sid: 'a login' })),
  'with parts of seconds': bearer(made({ exp: today + 1.5, jti: 'parts' })),
  'at its end': bearer(made({ jti: 'end', exp: today })),
  'revoked by the application': bearer(made({ jti: 'bad' })),
  'with a scheme': { authorization: `JWT ${made({ jti: 'scheme' })}` },
  'without a scheme': { authorization: made({ jti: 'alone' }) },
  'in another header': { 'x-token': made() }
}

t.test('logouts of all kinds', async (t) => {
  stopClock(t)
  const asked: unknown[] = []
  const isRevoked = ({ sub, jti }: TokenPayload, request: FastifyRequest | undefined) => {
    asked.push([sub, jti, request?.method])
    return jti === 'bad'
  }
  const all: Record<string, unknown> = {}
  for (const [config, options] of Object.entries({
    plain: {},
    revocation: { revocation: true },
    refresh: { refresh: true },
    all: { revocation: true, refresh: true, isRevoked }
  })) {
    const host = await createLoginHost(t, options)
    const { kept, ask, call } = createRows(host)
    all[config] = kept
    for (const [name, headers] of Object.entries(ways)) await ask(name, { method: 'DELETE', headers })
    for (const method of ['GET', 'PUT', 'PATCH'] as const) await ask(method, { method, headers: bearer(made()) })
    await ask('a GET of an id', { method: 'GET', url: `${host.url}/1` })
    await call('of the server, bad', () =>
      host.service.remove(null, { authentication: { strategy: 'jwt', accessToken: made({ jti: 'bad' }) } })
    )
    await call('of the server, a guest', () =>
      host.service.remove(null, { provider: 'rest', authentication: { strategy: 'local' } })
    )
  }
  isKept(t, { ...all, asked }, 'test/authentication/whole-logouts.txt')
})

t.test('the store in memory', (t) => {
  const forward = stopClock(t)
  const store = memoryStore()
  const kept: Record<string, unknown> = {}
  const look = (name: string) => {
    kept[name] = ['a', 'b', 'c', 'd', '__proto__'].map((key) => store.get(key) ?? null)
  }
  for (const [key, seconds] of [
    ['a', 1],
    ['b', 59],
    ['c', 60],
    ['d', 3600]
  ] as const)
    store.set(key, `${key}!`, seconds)
  look('now')
  for (const seconds of [1, 57, 1, 1]) {
    forward(seconds)
    store.set('e', 'e', 1)
    look(`at ${Date.now() / 1000 - today}`)
  }
  store.set('d', 'again', 1)
  look('again')
  isKept(t, kept, 'test/authentication/whole-store.txt')
  t.end()
})
