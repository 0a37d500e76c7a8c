import { hooks, passwordHash } from '@feathersjs/authentication-local'
import { memory } from '@feathersjs/memory'
import { resolve, hooks as schemaHooks } from '@feathersjs/schema'
import { request } from './serve.js'

const { hashPassword, protect } = hooks
const resolver = schemaHooks.resolveData(resolve({ password: passwordHash({ strategy: 'local' }) }))

/** What hashes passwords, and keeps them inside. */
export async function run(t) {
  const on = (name, hooks, act, expected) =>
    t.check(
      name,
      async (side) => {
        await side.useAuthentication()
        const users = side.use('users', memory({ startId: 1, multi: true }), { hooks })
        const base = await side.listen()
        const send = (method, path, body) => request(`${base}/${path}`, method, body)
        const login = async (password, email = 'ada') =>
          (await send('POST', 'authentication', { strategy: 'local', email, password }))[0]
        return act({ send, login, users })
      },
      expected
    )
  const ada = { email: 'ada', password: 'secret' }
  const isHashed = async (users) => (await users.get(1)).password.length > 20

  const create = async ({ send, login, users }) => [
    (await send('POST', 'users', ada))[0],
    await isHashed(users),
    await login('secret'),
    await login('wrong')
  ]
  const created = [201, true, 201, 401]
  await on('passwordHash', { before: { create: [resolver] } }, create, created)
  await on('passwordHash, as an around hook', { around: { create: [resolver] } }, create, created)
  await on('hashPassword', { before: { create: [hashPassword('password')] } }, create, created)
  await on('hashPassword, as an around hook', { around: { create: [hashPassword('password')] } }, create, created)
  await on(
    'hashPassword, another password',
    { before: { all: [hashPassword('password')] } },
    async ({ send, login, users }) => {
      await users.create(ada)
      await send('PATCH', 'users/1', { password: 'other' })
      return [await login('secret'), await login('other')]
    },
    [401, 201]
  )
  await on(
    'hashPassword, data without one',
    { before: { all: [hashPassword('password')] } },
    ({ send }) => send('POST', 'users', { email: 'bob' }),
    [201, { email: 'bob', id: 1 }]
  )
  await on(
    'hashPassword, many',
    { before: { all: [hashPassword('password')] } },
    async ({ users, login }) => {
      await users.create([ada, { email: 'bob', password: 'other' }])
      return [await login('secret'), await login('other', 'bob')]
    },
    [201, 201]
  )
  await on(
    'hashPassword, a strategy that does not exist',
    { before: { create: [hashPassword('password', { strategy: 'none' })] } },
    async ({ send }) => (await send('POST', 'users', ada))[0],
    400
  )
  for (const [type, hook] of [
    ['after', protect('password')],
    ['around', protect('password')]
  ])
    await on(
      `protect, as an ${type} hook`,
      { before: { create: [hashPassword('password')] }, [type]: { all: [hook] } },
      async ({ send, users, login }) => {
        const [, user] = await send('POST', 'users', ada)
        return [user, (await send('GET', 'users'))[1], await isHashed(users), await login('secret')]
      },
      [{ email: 'ada', id: 1 }, [{ email: 'ada', id: 1 }], true, 201]
    )
}
