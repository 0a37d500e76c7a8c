import Fastify, { type FastifyServerOptions } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

const orders: [name: string, paths: string[]][] = [
  ['the outer one first', ['users', 'users/list']],
  ['the inner one first', ['users/list', 'users']]
]

async function create(t: Test, paths: string[], names?: readonly string[], server: FastifyServerOptions = {}) {
  const app = Fastify(server)
  t.teardown(() => app.close())
  await app.register(services)
  const [users, list] = [createRecorder(), createRecorder(names)]
  for (const path of paths) app.service(path, path === 'users' ? users.service : list.service)
  return { app, users: users.calls, list: list.calls }
}

for (const [name, paths] of orders) {
  t.test(`nested services, more specific services win (${name})`, async (t) => {
    const { app, users, list } = await create(t, paths)
    for (const [verb, payload] of [['GET'], ['POST', {}], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
      t.ok((await request(app, verb, '/users/list', payload && { payload })).status < 300, verb)
    }
    t.strictSame(
      list.map(({ method, args }) => [method, args[0]]),
      [
        ['find', undefined],
        ['create', {}],
        ['update', null],
        ['patch', null],
        ['remove', null]
      ]
    )
    await request(app, 'DELETE', '/users/list/1')
    t.strictSame(list.at(-1)?.args, ['1'])
    t.strictSame(users, [], 'the outer service has no record of that name')
    await request(app, 'DELETE', '/users/listing')
    await request(app, 'DELETE', '/users/1')
    t.strictSame(
      users.map(({ args }) => args),
      [['listing'], ['1']]
    )
  })

  t.test(`a method that the more specific one lacks is 405, not a call of the other (${name})`, async (t) => {
    const { app, users, list } = await create(t, paths, ['find'])
    for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await request(app, verb, '/users/list')
      t.strictSame([status, headers.allow], [405, 'GET, HEAD'], verb)
    }
    t.equal((await request(app, 'DELETE', '/users/l%69st')).status, 405, 'in each spelling')
    t.equal((await request(app, 'GET', '/users/list')).status, 200)
    t.strictSame([users.length, list.length], [0, 1])
  })

  t.test(`the same on a host with \`caseSensitive: false\` (${name})`, async (t) => {
    const { app, users, list } = await create(t, paths, ['find'], { routerOptions: { caseSensitive: false } })
    t.equal((await request(app, 'GET', '/Users/List')).status, 200)
    t.equal((await request(app, 'DELETE', '/Users/List')).status, 405)
    t.strictSame([users.length, list.length], [0, 1])
  })
}

t.test('an id that spells the path of a nested service is an id: decoded once and handed to the service', async (t) => {
  const { app, users } = await create(t, ['users', 'users/list'])
  app.service('users/:id/notes', createRecorder().service)
  app.service('users/list/all', createRecorder().service)
  for (const segment of ['%3Aid%2Fnotes', 'list%2Fall', '1%2Fnotes'])
    t.equal((await request(app, 'DELETE', `/users/${segment}`)).status, 200, segment)
  t.strictSame(
    users.map(({ args }) => args),
    [[':id/notes'], ['list/all'], ['1/notes']]
  )
})

t.test('Routing: a service path with placeholders beside the service of its parent', async (t) => {
  const { app, users } = await create(t, ['users'])
  const { service, calls } = createRecorder()
  app.service('users/:userId/messages', service)
  await request(app, 'GET', '/users/1/messages/2')
  await request(app, 'GET', '/users/1')
  t.strictSame(
    calls.map(({ args, params }) => [args, params.route]),
    [[['2'], { userId: '1' }]]
  )
  t.strictSame(
    users.map(({ args, params }) => [args, params.route]),
    [[['1'], {}]]
  )
})
