import t from 'tap'
import { bad, requests } from '../support/auth-interop-requests.js'
import { servers } from '../support/auth-interop-servers.js'
import { send, type WireRequest, type WireResponse } from '../support/interop-requests.js'

type Rows = Readonly<Record<string, { status: number; headers?: object; body: unknown }>>

const error = (status: number, className: string, message: unknown) => ({
  status,
  body: { code: status, className, message }
})
const refused = (message: unknown) => error(401, 'not-authenticated', message)
const invalidLogin = refused('Invalid login')
const notAuthenticated = refused('Not authenticated')
const invalidToken = refused(/^Invalid access token/)
const notSupported = (method: string, allow: string) => ({
  ...error(405, 'method-not-allowed', `Method \`${method}\` is not supported by this endpoint.`),
  headers: { allow }
})
const ways = ['a log-in with', 'a logout with', 'a protected call with']
const eachWay = (tokens: readonly string[]): Rows =>
  Object.fromEntries(ways.flatMap((way) => tokens.map((token) => [`${way} ${token}`, invalidToken])))
const deleted = 'a token of a deleted user'

/** What is not the same as on Feathers' server: the sentence that asks for it, and what is answered in its place. */
const differences: readonly { asks: string; rows: Rows }[] = [
  {
    asks: 'a bad token of any kind `Invalid access token`-like',
    rows: {
      ...eachWay(Object.keys(bad).filter((token) => token !== deleted)),
      'a log-in without a token': invalidToken,
      'a log-in with a token that is a number': invalidToken,
      'a log-in with a token that is an object': invalidToken
    }
  },
  { asks: '| token of a deleted user | 401 |', rows: eachWay([deleted]) },
  {
    asks: 'Every failure is 401 NotAuthenticated: wrong password and unknown user both `Invalid login`',
    rows: { 'a password that is a number': invalidLogin, 'a password that is an object': invalidLogin }
  },
  {
    asks: '| `email: {"$gt":""}`, an array, a number, `email[$gt]=` in a form | 401 `Invalid login`, the users service is not asked |',
    rows: { 'a user name that is a query': invalidLogin }
  },
  {
    // Feathers looks for the user with the query of the log-in.
    asks: "`POST /authentication` `{ strategy: 'local', email, password }` → **201**",
    rows: { 'a log-in with a query': { status: 201, body: { accessToken: 'token', user: { id: 1 } } } }
  },
  {
    asks: '`create`, `update`, `patch` without a body: 400 BadRequest `No data provided`.',
    rows: { 'a log-in without a body': error(400, 'bad-request', 'No data provided') }
  },
  {
    asks: "400 BadRequest `First parameter for 'create' must be an object`",
    rows: { 'a log-in that is a string': error(400, 'bad-request', "First parameter for 'create' must be an object") }
  },
  {
    asks: 'Without a valid token: 401. … protected and no token: `Not authenticated`.',
    rows: {
      'a logout without a token': notAuthenticated,
      'a logout with a token in the query': notAuthenticated,
      'the header Bearer without a token': notAuthenticated
    }
  },
  {
    asks: '`PUT`, `PATCH`, `DELETE` on `/path/` (an empty id, usually a template bug) are **400**, never the multi form',
    rows: { 'a logout with a slash': error(400, 'bad-request', /^The id is empty/) }
  },
  {
    asks: "The router's own 400 (`%zz`) and 414 never reach a plugin: the exported `frameworkErrors` gives them this shape",
    rows: { 'a logout with the token as the id': error(414, 'uri-too-long', /./) }
  },
  {
    asks: 'is **405** with an `Allow` header',
    rows: {
      'a find of the authentication service': notSupported('find', 'POST, DELETE'),
      'a patch of the authentication service': notSupported('patch', 'POST, DELETE'),
      'a protected call of a method that is not there': notSupported('remove', 'GET, HEAD')
    }
  },
  {
    asks: 'internal results keep the hash; `params.user` and `request.user` do not.',
    rows: { 'the fields of params.user': { status: 200, body: { fields: ['email', 'id'] } } }
  },
  {
    asks: 'Header: `Authorization: Bearer <token>`, scheme in any case; also a bare token, `JWT <token>` and `Bearer: <token>`.',
    rows: {
      'a header with a scheme that ends the same': notAuthenticated,
      'a header with more than a token': notAuthenticated,
      'a header with a comma': notAuthenticated
    }
  }
]

// What is different each time: tokens, their ids, when they were issued. How long they are good for stays.
function mask(key: string, value: unknown): unknown {
  if (key === 'payload') {
    const { iat, exp, jti, ...claims } = value as { iat: number; exp: number; jti: string }
    return { ...claims, iat: typeof iat, exp: exp - iat, jti: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(jti) }
  }
  return key === 'accessToken' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(value)) ? 'token' : value
}

async function ask(base: string, request: WireRequest): Promise<WireResponse> {
  const response = await send(base, request)
  return { ...response, body: JSON.parse(JSON.stringify(response.body), mask) }
}

t.test(
  'authentication on the wire is that of Feathers 5 where the contract does not say that it differs',
  async (t) => {
    const [ours, theirs] = [await servers['fastify-services'](t), await servers['@feathersjs/koa'](t)]
    for (const row of differences.flatMap(({ rows }) => Object.keys(rows))) t.ok(row in requests, `a request: ${row}`)

    for (const [name, request] of Object.entries(requests)) {
      const [answer, other] = [await ask(ours, request), await ask(theirs, request)]
      const { 'www-authenticate': challenge, ...headers } = answer.headers
      t.match(
        String(challenge),
        answer.status === 401 ? /^Bearer( error="invalid_token")?$/ : 'undefined',
        `${name}: 401 carries \`WWW-Authenticate: Bearer\`.`
      )
      const same = { ...answer, headers }
      const listed = differences.filter(({ rows }) => name in rows)
      if (listed.length === 0) t.strictSame(same, other, `${name}: the same as @feathersjs/koa`)
      for (const { asks, rows } of listed) {
        t.match(answer, rows[name], `${name}: ${asks}`)
        t.strictNotSame(same, other, `${name}: not the same as @feathersjs/koa`)
      }
    }
  }
)

/** What is not the same for a mounted application: what the transport does before a service is called, and with an error. */
const transport: Rows = {
  // Koa answers an error that is none of Feathers with its message alone.
  'a password that is a number': error(500, 'general-error', /Illegal arguments/),
  'a password that is an object': error(500, 'general-error', /Illegal arguments/),
  'a log-in without a body': error(400, 'bad-request', 'No data provided'),
  'a log-in that is a string': error(400, 'bad-request', "First parameter for 'create' must be an object"),
  'a logout with a slash': error(400, 'bad-request', /^The id is empty/),
  'a logout with the token as the id': error(414, 'uri-too-long', /./),
  'a find of the authentication service': notSupported('find', 'POST, DELETE'),
  'a patch of the authentication service': notSupported('patch', 'POST, DELETE'),
  'a protected call of a method that is not there': notSupported('remove', 'GET, HEAD')
}

t.test('a mounted application authenticates as it does on @feathersjs/koa', async (t) => {
  const [ours, theirs] = [await servers['fastify-services/feathers'](t), await servers['@feathersjs/koa'](t)]
  for (const [name, request] of Object.entries(requests)) {
    const [answer, other] = [await ask(ours, request), await ask(theirs, request)]
    const { 'www-authenticate': _, ...headers } = answer.headers
    const expected = transport[name]
    if (expected === undefined) t.strictSame({ ...answer, headers }, other, name)
    else {
      t.match(answer, expected, name)
      t.strictNotSame({ ...answer, headers }, other, `${name}: not the same`)
    }
  }
})
