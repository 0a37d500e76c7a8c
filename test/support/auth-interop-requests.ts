import type { WireRequest } from './interop-requests.js'
import { claims, forge, forgeWithout, now, unsigned } from './tokens.js'
import { user } from './users-app.js'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const good = forge(claims({ jti: '6f0c1f5e-3f0e-4d0c-9a53-2d3f0b1c8a77' }))

const post = (url: string, data: unknown): WireRequest => ({
  verb: 'POST',
  url,
  headers: json,
  body: typeof data === 'string' ? data : JSON.stringify(data)
})
const login = (data: object): WireRequest => post('/authentication', data)
const local = (changes: object = {}): WireRequest => login({ strategy: 'local', ...user, ...changes })
const jwt = (accessToken: unknown): WireRequest => login({ strategy: 'jwt', accessToken })
const send = (verb: string, url: string, authorization?: string): WireRequest => ({
  verb,
  url,
  headers: authorization === undefined ? {} : { authorization }
})
const get = (url: string, authorization?: string) => send('GET', url, authorization)
const remove = (authorization?: string, url = '/authentication') => send('DELETE', url, authorization)

/** Tokens that are not good, by what is wrong with them. */
export const bad: Readonly<Record<string, string>> = {
  'a token that has expired': forge(claims({ exp: now() - 60 })),
  'a token with another signature': forge(claims(), {}, 'x'.repeat(32)),
  'a token that was tampered with': good.replace(/\.(.)/, '.f'),
  'an unsigned token': unsigned({ alg: 'none', typ: 'JWT' }),
  'a token for another audience': forge(claims({ aud: 'other' })),
  'a token of another issuer': forge(claims({ iss: 'other' })),
  'a token of a deleted user': forge(claims({ sub: '99' })),
  'a token without sub': forgeWithout('sub'),
  'what is no token': 'nonsense'
}
const each = (toRequest: (token: string) => WireRequest, prefix: string) =>
  Object.fromEntries(Object.entries(bad).map(([row, token]) => [`${prefix} ${row}`, toRequest(token)]))

/** Requests about authentication, by name. Each is good for all servers: they have one secret. */
export const requests: Readonly<Record<string, WireRequest>> = {
  'a log-in': local(),
  'a log-in with a form': {
    verb: 'POST',
    url: '/authentication',
    headers: form,
    body: `strategy=local&email=${encodeURIComponent(user.email)}&password=${encodeURIComponent(user.password)}`
  },
  'a log-in with a query': { ...local(), url: '/authentication?a=1&strategy=jwt' },
  'a log-in with a slash': { ...local(), url: '/authentication/' },
  'a log-in with what is not asked for': local({
    payload: { role: 'admin' },
    secret: 'x',
    jwtOptions: { expiresIn: '9y' },
    user: { id: 2 },
    authentication: {}
  }),
  'a log-in with a header of another token': { ...local(), headers: { ...json, authorization: 'Bearer nonsense' } },
  'a wrong password': local({ password: 'wrong' }),
  'an unknown user': local({ email: 'nobody@example.com' }),
  'a missing password': local({ password: undefined }),
  'an empty password': local({ password: '' }),
  'a password that is a number': local({ password: 1 }),
  'a password that is an object': local({ password: { $ne: '' } }),
  'a missing user name': local({ email: undefined }),
  'an empty user name': local({ email: '' }),
  'a user name that is a number': local({ email: 1 }),
  'a user name that is a query': local({ email: { $gt: '' } }),
  'a user name that is a list': local({ email: [user.email] }),
  'no strategy': login({ email: user.email, password: user.password }),
  'an empty object': login({}),
  'a strategy that is null': local({ strategy: null }),
  'a strategy that is empty': local({ strategy: '' }),
  'a strategy that is unknown': local({ strategy: 'github' }),
  'a strategy that is a list': local({ strategy: ['local'] }),
  'a strategy that is a number': local({ strategy: 1 }),
  'a strategy of the prototype': local({ strategy: 'constructor' }),
  'the strategy __proto__': post('/authentication', '{"strategy":"__proto__"}'),
  'a list of log-ins': post('/authentication', [{ strategy: 'local', ...user }]),
  'a log-in without a body': { verb: 'POST', url: '/authentication' },
  'a log-in that is a string': post('/authentication', '"local"'),
  'a log-in with a token': jwt(good),
  'a log-in without a token': jwt(undefined),
  'a log-in with a token that is a number': jwt(1),
  'a log-in with a token that is an object': jwt({}),
  ...each(jwt, 'a log-in with'),
  'a logout': remove(`Bearer ${good}`),
  'a logout with a content type': {
    ...remove(`Bearer ${good}`),
    headers: { ...json, authorization: `Bearer ${good}` }
  },
  'a logout with a bare token': remove(good),
  'a logout with another id': remove(`Bearer ${good}`, '/authentication/other'),
  'a logout with a slash': remove(`Bearer ${good}`, '/authentication/'),
  'a logout with the token as the id': remove(`Bearer ${good}`, `/authentication/${good}`),
  'a logout with a token in the query': remove(undefined, `/authentication?accessToken=${good}&access_token=${good}`),
  'a logout without a token': remove(),
  ...each((token) => remove(`Bearer ${token}`), 'a logout with'),
  'a find of the authentication service': get('/authentication', `Bearer ${good}`),
  'a patch of the authentication service': { ...post('/authentication', {}), verb: 'PATCH' },
  'a protected call': get('/me?a=1', `Bearer ${good}`),
  'the fields of params.user': get('/me/1', `Bearer ${good}`),
  'a protected call with data': { ...post('/me', { a: 1 }), headers: { ...json, authorization: `Bearer ${good}` } },
  'a protected call without a token': get('/me'),
  'a protected call with data, without a token': post('/me', { a: 1 }),
  'a protected call of a method that is not there': send('DELETE', '/me/1'),
  'a protected call with a token in the query': get(`/me?access_token=${good}&authenticated=true&provider=`),
  'a protected call with params in the body': post('/me', { authenticated: true, authentication: { strategy: 'jwt' } }),
  ...each((token) => get('/me', `Bearer ${token}`), 'a protected call with'),
  'the header bearer': get('/me', `bearer ${good}`),
  'the header BEARER': get('/me', `BEARER ${good}`),
  'the header Bearer with more space': get('/me', `Bearer   ${good}`),
  'the header Bearer with a colon': get('/me', `Bearer: ${good}`),
  'the header JWT': get('/me', `JWT ${good}`),
  'the header jwt': get('/me', `jwt ${good}`),
  'a bare token in the header': get('/me', good),
  'an empty header': get('/me', ''),
  'the header Bearer without a token': get('/me', 'Bearer'),
  'the header Basic': get('/me', 'Basic YTpi'),
  'the header Basic with a token': get('/me', `Basic ${good}`),
  'the header Token': get('/me', `Token ${good}`),
  'a header with a scheme that ends the same': get('/me', `xBearer ${good}`),
  'a header with more than a token': get('/me', `Bearer ${good} more`),
  'a header with a comma': get('/me', `Bearer, ${good}`),
  'an open call': get('/open'),
  'an open call with a token': get('/open', `Bearer ${good}`),
  'an open call with a bad token': get('/open', 'Bearer nonsense'),
  'a user': get('/users/1'),
  'all users': get('/users'),
  'a sign-up': post('/users', { email: 'bob@example.com', password: 'a long secret' })
}
