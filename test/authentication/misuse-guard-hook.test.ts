import type { FastifyInstance } from 'fastify'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { around, createGuardsApp, whoami } from '../support/auth-guards.js'

type Step = (app: FastifyInstance) => unknown

const start = (t: Test, before: Step) => createGuardsApp(t, { before })
const unknown = /authenticate\('jtw'\) at '(v1\/)?me': there is no such strategy\. Enabled: jwt, local/

t.test('an unknown strategy fails at start, wherever the hook comes from', async (t) => {
  const guard = authenticate('jwt', 'jtw')
  const steps: [where: string, step: Step][] = [
    ['around all', (app) => app.service('me', whoami, around(guard))],
    ['around a method', (app) => app.service('me', whoami, { hooks: { around: { find: [guard] } } })],
    ['before', (app) => app.service('me', whoami, { hooks: { before: [guard] } })],
    ['without a type', (app) => app.service('me', whoami, { hooks: { find: [guard] } as never })],
    ['behind another one', (app) => app.service('me', whoami, around(authenticate('jwt'), guard))],
    ['added by hooks()', (app) => app.service('me', whoami).hooks({ around: { all: [guard] } })],
    ['as middleware', (app) => app.service('me', whoami, { before: guard })],
    ['in a list of middleware', (app) => app.service('me', whoami, { before: [authenticate('jwt'), guard] })],
    [
      'in a child',
      (app) => app.register(async (child) => void child.service('me', whoami, around(guard)), { prefix: '/v1' })
    ]
  ]
  for (const [where, step] of steps) await t.rejects(start(t as Test, step), unknown, where)
})

t.test('names that are no strategies of ours', async (t) => {
  for (const name of ['JWT', 'constructor', '__proto__', 'toString', 'size', 'refresh', ' jwt'])
    await t.rejects(
      start(t as Test, (app) => app.service('me', whoami, around(authenticate(name)))),
      { message: `authenticate('${name}') at 'me': there is no such strategy. Enabled: jwt, local` },
      name
    )
})

t.test('a strategy that is only in another authentication service', async (t) => {
  const step: Step = async (app) => {
    const { default: authentication } = await import('fastify-services/authentication')
    const strategies = { jwt: true, other: { authenticate: () => ({}) } }
    await app.register(authentication, { secret: 'x'.repeat(32), path: 'other', strategies })
    app.service('me', whoami, around(authenticate('other')))
  }
  await t.rejects(start(t as Test, step), /authenticate\('other'\) at 'me': there is no such strategy/)
})

t.test('as an after or error hook it would come too late', async (t) => {
  for (const type of ['after', 'error'] as const)
    for (const hooks of [{ all: [authenticate('jwt')] }, { find: authenticate('jwt') }])
      await t.rejects(
        start(t as Test, (app) => app.service('me', whoami, { hooks: { [type]: hooks } })),
        { message: `authenticate at 'me' is a hook for 'before' or 'around', not for '${type}'` },
        type
      )
  await t.rejects(
    start(t as Test, (app) => app.service('me', whoami, { after: [authenticate('jwt')] })),
    /authenticate at 'me' is a hook for /,
    'nor as middleware after the call'
  )
})

t.test('on the authentication service itself, in each way', async (t) => {
  const guard = authenticate('jwt')
  const message =
    /authenticate\('jwt'\) stands on the authentication service 'authentication', where logins come without a token: take it away/
  for (const options of [around(guard), { hooks: { before: { create: guard } } }, { before: guard }])
    await t.rejects(createGuardsApp(t as Test, { options }), message)
  const named = authenticate({ service: 'other', strategies: ['jwt'] })
  await t.rejects(
    start(t as Test, async (app) => {
      const { default: authentication } = await import('fastify-services/authentication')
      await app.register(authentication, { secret: 'x'.repeat(32), path: 'other' })
      app.service('authentication').hooks({ around: { all: [named] } })
    }),
    message,
    'also where it asks another one'
  )
})

t.test('no server listens then', async (t) => {
  const app = createGuardsApp(t as Test, {
    before: async (app) => {
      app.service('me', whoami, around(authenticate('jtw')))
      await t.rejects(app.listen({ port: 0 }), unknown)
      t.notOk(app.server.listening)
    }
  })
  await t.rejects(app)
})
