import { memory } from '@feathersjs/memory'
import type { HookContext } from 'fastify-services'
import { hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode, sign } from '../support/auth-fault-tokens.js'
import { claims, forge, now, secret } from '../support/tokens.js'
import { createUsersApp, login, user } from '../support/users-app.js'

const hooks = { before: { create: [hashPassword('password')] } }

t.test('Token: HS256, signed as any library for JWT does', async (t) => {
  const { accessToken } = (await login(await createUsersApp(t as Test))).body
  const [head, body, signature] = accessToken.split('.')
  t.same(decode(accessToken, 0), { alg: 'HS256', typ: 'JWT' })
  t.equal(sign('HS256', secret, `${head}.${body}`).toString('base64url'), signature)
})

t.test('Token: `expiresIn` 1 day', async (t) => {
  const before = now()
  const { accessToken } = (await login(await createUsersApp(t as Test))).body
  const { iat, exp } = decode(accessToken, 1)
  t.ok(Number(iat) >= before && Number(iat) <= now(), '`iat` is now')
  t.equal(Number(exp) - Number(iat), 86_400)
})

t.test(
  'Token: `iss` (default `fastify-services`) and `aud` (default the authentication path) always set',
  async (t) => {
    for (const [path, aud] of [
      ['authentication', 'authentication'],
      ['/login/', 'login'],
      ['v1/auth', 'v1/auth'],
      ['/', '/']
    ] as const) {
      const app = await createUsersApp(t as Test, { options: { path } })
      const payload = decode((await login(app, {}, path.replace(/^\//, ''))).body.accessToken, 1)
      t.match(payload, { iss: 'fastify-services', aud }, path)
      t.same(Object.keys(payload).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sub'])
    }
  }
)

t.test('Token: `jti` a UUID, another one for each token', async (t) => {
  const app = await createUsersApp(t as Test)
  const ids = []
  for (let index = 0; index < 3; index++) ids.push(decode((await login(app)).body.accessToken, 1).jti)
  for (const id of ids) t.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  t.equal(new Set(ids).size, 3)
})

t.test('Token: `sub` = id of the user as a string', async (t) => {
  for (const [id, sub] of [
    [0, '0'],
    [42, '42'],
    ['5f3c', '5f3c'],
    ['a/b c ü', 'a/b c ü']
  ] as const) {
    const app = await createUsersApp(t as Test, {
      options: { service: 'people', entityId: 'key' },
      before: (app) => app.service('people', memory({ id: 'key' }) as object, { hooks })
    })
    await app.service('people').create({ ...user, key: id } as never)
    const { status, body } = await login(app)
    t.equal(status, 201)
    t.strictSame(decode(body.accessToken, 1).sub, sub)
    t.strictSame(body.user, { email: user.email, key: id })
    t.equal((await login(app, { strategy: 'jwt', accessToken: body.accessToken })).status, 201, `${id} is found again`)
  }
})

t.test('claims of a hook stand in the token; those that are ours can not be set by one', async (t) => {
  const own = { role: 'admin', nested: { list: [1] }, name: 'Åda 💥' }
  const reserved = { iss: 'x', aud: 'x', exp: 1, iat: 1, nbf: 9e9, jti: 'x', sid: 'x', sub: '2' }
  const payload = async (context: HookContext) => {
    Object.assign(context.params, { payload: { ...own, ...reserved } })
  }
  const app = await createUsersApp(t as Test, { options: { hooks: { before: { create: [payload] } } } })
  const { body } = await login(app)
  const found = decode(body.accessToken, 1)
  t.match(found, { ...own, iss: 'fastify-services', aud: 'authentication', sub: '1' })
  t.notHas(found, 'nbf')
  t.notHas(found, 'sid')
  t.not(found.jti, 'x')
  t.equal((await login(app, { strategy: 'jwt', accessToken: body.accessToken })).status, 201)
})

t.test('a token that others have signed with the secret is good, with all its claims', async (t) => {
  const app = await createUsersApp(t as Test)
  const given = claims({ scope: 'read', aud: ['other', 'authentication'] })
  const { body } = await login(app, { strategy: 'jwt', accessToken: forge(given) })
  t.strictSame(body.authentication.payload, given)
})
