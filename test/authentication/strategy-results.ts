import { Forbidden, NotAuthenticated } from 'fastify-services'
import type { Strategy, StrategyResult } from 'fastify-services/authentication'
import { password } from './login-host.js'

/** What a client sends to log in as Ada. */
export const local = (changes: object = {}) => ({ strategy: 'local', email: 'ada@example.com', password, ...changes })

export const reserved = { iss: 'x', aud: 'x', exp: 1, nbf: 1, iat: 1, jti: 'x', sid: 'x' }
const fail = (error: unknown) => () => {
  throw error
}

/** What a strategy may return or throw, by name. */
export const results: Record<string, () => unknown> = {
  nothing: () => undefined,
  null: () => null,
  'a text': () => 'text',
  'an empty result': () => ({}),
  'a user': () => ({ user: { id: 1, password: 'x', name: 'Ada' } }),
  'a user without an id': () => ({ user: { name: 'Ada' } }),
  'a user that is null': () => ({ user: null }),
  'a user whose id is null': () => ({ user: { id: null } }),
  'a user whose id is empty': () => ({ user: { id: '' } }),
  'a user with a long id': () => ({ user: { id: 'x'.repeat(1025) } }),
  'a user that is not there': () => ({ user: { id: 77 } }),
  'an id alone': () => ({ authentication: { payload: { sub: 'somebody', a: 1 } } }),
  'another id': () => ({
    user: { id: 2 },
    authentication: { payload: { sub: 'somebody', auth_time: 5, ...reserved } }
  }),
  'a strategy and more': () => ({ user: { id: 2 }, authentication: { strategy: 'fake', more: 1 }, more: 2 }),
  'a token': () => ({ user: { id: 2 }, accessToken: 'mine', authentication: { payload: { a: 1 } } }),
  'a refresh token': () => ({ user: { id: 2 }, refreshToken: 'mine' }),
  'a payload that is a text': () => ({ user: { id: 2 }, authentication: { payload: 'text' } }),
  'too many claims': () => ({ user: { id: 2 }, authentication: { payload: { a: 'x'.repeat(7000) } } }),
  later: async () => ({ user: { id: 2 } }),
  'an error': fail(new Error('no')),
  'a refusal': fail(new NotAuthenticated('no', { password: 'x', why: 'y' })),
  'another error': fail(new Forbidden('no', { errors: { password: 'x' } }))
}

/** A strategy that does what it is told to. */
export const own: Strategy = { authenticate: ({ give }) => results[String(give)]?.() as StrategyResult }
