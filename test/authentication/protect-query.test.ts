import type { Params } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createUsers, toHash } from '../support/auth-passwords.js'
import { createProtected } from '../support/auth-passwords-protect.js'
import { createUsersTable } from '../support/users-table.js'

const email = 'ada@example.com'
const password = toHash('correct horse')

async function createTable(t: Test) {
  const { knex, object } = await createUsersTable(t, { filters: { $any: true }, multi: true })
  await knex('users').insert({ email, password })
  return object
}

t.test('what a query over HTTP asks about a protected field is refused', async (t) => {
  const { users, send } = await createUsers(t, { object: await createTable(t), options: {} })
  const queries = [
    'password=x',
    'password[$gt]=$',
    'password[$in][]=x',
    '$sort[password]=1',
    '$or[0][password][$gt]=$',
    '$or[0][$and][0][password][$gt]=$',
    'users.password[$gt]=$',
    '$sort[users.password]=1',
    '$or[0][users.password][$gt]=$',
    '$select[]=password as hash',
    '$select[]=users.password as hash',
    '$select[]=PASSWORD as hash',
    '$select=password as hash',
    '$select[0][hash]=password',
    '$sort=password',
    '$sort[]=password',
    '$sort=-password',
    '$sort=%2Bpassword',
    '$sort=email,-PASSWORD',
    '$sort[0][]=password',
    '$sort[0][by]=password',
    '$sort={"password":1}',
    '$group[]=users.password',
    '$or[0][$ref]=password',
    'email[$col]=password',
    '$expr[$gt][]=$password'
  ]
  for (const query of queries) {
    const encoded = query.replaceAll(' ', '%20')
    for (const [verb, url] of [
      ['GET', `/users?${encoded}`],
      ['GET', `/users/1?${encoded}`],
      ['PATCH', `/users?${encoded}`],
      ['DELETE', `/users?${encoded}`]
    ] as const) {
      const { status, body } = await send(verb, url, verb === 'PATCH' ? {} : undefined)
      t.match([status, body.name], [400, 'BadRequest'], `${verb} ${url}`)
      t.notMatch(JSON.stringify(body), password.slice(-20))
    }
  }
  t.match(await users.find({ query: { password } }), { length: 1, 0: { password } }, 'the server itself may ask')
  t.match(await users.find({ query: { $select: ['password'] } }), [{ password }])
})

t.test('a query that only selects a protected field, or has a similar one, is answered without it', async (t) => {
  const { send } = await createUsers(t, { object: await createTable(t), options: {} })
  t.strictSame((await send('GET', '/users?$select[]=password&$select[]=email')).body, [{ id: 1, email }])
  t.strictSame((await send('GET', '/users/1?$select[]=password')).body, { id: 1 })
  t.strictSame((await send('GET', '/users?email=password')).body, [])
  t.strictSame((await send('GET', `/users?email=${email}&$sort[email]=1`)).body, [{ id: 1, email }])
})

t.test('the name of a protected field is a value like any other where values are compared', async (t) => {
  const find = async ({ query }: Params) => ({ query })
  const { app } = await createProtected(t, { plugin: {} })
  app.service('echo', { find }, { hooks: { around: { all: [protect('password')] } } })
  for (const query of [
    'email=password',
    'email[]=password',
    'email[$ne]=password',
    'email[$in][]=password',
    'email[$iLike]=password',
    '$or[0][email]=password',
    '$and[0][email][$nin][]=password',
    '$search=password',
    '$sort=email',
    '$sort[]=-email',
    '$sort=password2',
    '$select[]=password',
    '$limit=1'
  ])
    t.equal((await app.inject(`/echo?${query}`)).statusCode, 200, query)
})
