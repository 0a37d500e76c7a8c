import type { FastifyRequest } from 'fastify'
import type { TokenPayload } from 'fastify-services/authentication'
import t from 'tap'
import { memoryStore } from '../../lib/core/store.js'
import { isKept } from '../support/kept.js'
import { claims, forge } from '../support/tokens.js'
import { createLoginHost } from './login-host.js'
import { createRows } from './login-rows.js'
import { stopClock, today } from './outcomes.js'

const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` })
const made = (changes: object = {}) => forge(claims({ iat: today, exp: today + 20_000, sub: '2', ...changes }))

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
