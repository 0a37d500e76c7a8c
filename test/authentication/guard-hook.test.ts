import type { HookContext } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, ask, bearer, bob, createGuardsApp, whoami } from '../support/auth-guards.js'
import { createRecorder } from '../support/recorder.js'
import { claims, forge } from '../support/tokens.js'

const guard = authenticate('jwt')
const letIn = { user: ada, strategy: 'jwt', authenticated: true, provider: 'rest' }

for (const type of ['around', 'before'] as const)
  t.test(`as a hook for \`${type}\`: lets in who proves who they are`, async (t) => {
    const app = await createGuardsApp(t as Test, {
      before: (app) => app.service('me', whoami, { hooks: { [type]: { all: [guard] } } })
    })
    t.match(await ask(app, '/me'), { status: 200, body: letIn })
    t.match((await ask(app, '/me', bearer(forge(claims({ sub: '2' }))))).body, { ...letIn, user: bob })
    for (const headers of [{}, bearer('bad'), bearer(forge(claims({ sub: '3' })))] as Record<string, string>[]) {
      const { status, body, headers: answered } = await ask(app, '/me', headers)
      t.match([status, body], [401, { name: 'NotAuthenticated', code: 401, className: 'not-authenticated' }])
      t.equal(answered['www-authenticate'], 'Bearer')
    }
  })

t.test('it belongs to the methods that it is given to', async (t) => {
  const { service, calls } = createRecorder()
  const app = await createGuardsApp(t as Test, {
    before: (app) =>
      app.service('things', service, { hooks: { around: { create: [guard] }, before: { remove: [guard] } } })
  })
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers = {}) =>
    (await app.inject({ method, url, headers, ...(method !== 'GET' && { payload: {} }) })).statusCode
  t.same(
    [await send('GET', '/things'), await send('GET', '/things/1'), await send('PATCH', '/things/1')],
    [200, 200, 200]
  )
  t.same(
    [await send('POST', '/things'), await send('DELETE', '/things/1'), await send('DELETE', '/things')],
    [401, 401, 401]
  )
  t.same(
    calls.map(({ method }) => method),
    ['find', 'get', 'patch']
  )
  t.same([await send('POST', '/things', bearer()), await send('DELETE', '/things/1', bearer())], [201, 200])
  t.same(
    calls.slice(3).map(({ method, params }) => [method, params.user]),
    [
      ['create', ada],
      ['remove', ada]
    ]
  )
})

t.test('a custom method is guarded as the six are', async (t) => {
  const service = { find: async () => [], archive: async (_data: unknown, { user }: { user?: object }) => user ?? null }
  const app = await createGuardsApp(t as Test, {
    before: (app) =>
      app.service('things', service, { methods: ['find', 'archive'], hooks: { around: { archive: [guard] } } })
  })
  const archive = (headers: object) =>
    app.inject({ method: 'POST', url: '/things', payload: {}, headers: { 'x-service-method': 'archive', ...headers } })
  t.equal((await archive({})).statusCode, 401)
  t.same((await archive(bearer())).json(), ada)
  t.equal((await ask(app, '/things', {})).status, 200)
})

t.test('hooks that stand before the guard see no user, those behind it do', async (t) => {
  const seen: unknown[] = []
  const look = async ({ params }: HookContext) => void seen.push([params.user ?? null, params.authenticated ?? null])
  const app = await createGuardsApp(t as Test, {
    before: (app) =>
      app.service('me', whoami, { hooks: { before: { all: [look, guard, look] }, after: { all: [look] } } })
  })
  await ask(app, '/me', {})
  t.same(seen, [[null, null]])
  await ask(app, '/me')
  t.same(seen.slice(1), [
    [null, null],
    [ada, true],
    [ada, true]
  ])
})

t.test('one that is added by `hooks()` later counts too', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) => {
      app.service('me', whoami)
      app.service('me').hooks({ around: { find: [guard] } })
    }
  })
  t.equal((await ask(app, '/me', {})).status, 401)
  t.match(await ask(app, '/me'), { status: 200, body: letIn })
})

t.test('HEAD is guarded as GET is', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) => app.service('me', whoami, { hooks: { around: [guard] } })
  })
  t.equal((await ask(app, '/me', {}, 'HEAD')).status, 401)
  t.equal((await ask(app, '/me', bearer(), 'HEAD')).status, 200)
})
