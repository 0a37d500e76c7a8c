import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { around, ask, createGuardsApp, whoami } from '../support/auth-guards.js'
import { createRecorder } from '../support/recorder.js'
import { forge } from '../support/tokens.js'

const guard = authenticate('jwt')
const spoofed = {
  provider: '',
  authenticated: 'true',
  user: '1',
  authentication: 'jwt',
  access_token: forge(),
  accessToken: forge(),
  token: forge(),
  jwt: forge()
}
const queries = [
  '?provider=x&authenticated=true',
  `?${new URLSearchParams(spoofed)}`,
  `?authentication[strategy]=jwt&authentication[accessToken]=${forge()}&user[id]=1`,
  `?Authorization=Bearer%20${forge()}&headers[authorization]=Bearer%20${forge()}`,
  '?__proto__[authenticated]=true&constructor[prototype][authenticated]=true'
]

/** A guarded and an open service, and a guarded route; `calls` are those that got through. */
async function create(t: Test) {
  const [guarded, open] = [createRecorder(), createRecorder()]
  const app = await createGuardsApp(t, {
    before: (app) => {
      app.service('guarded', guarded.service, around(guard))
      app.service('open', open.service)
      app.all('/route', { preHandler: guard }, async () => 'let in')
    }
  })
  return { app, guarded: guarded.calls, open: open.calls }
}

const none = { provider: 'rest', user: undefined, authenticated: undefined, authentication: undefined }

t.test('`?provider=x&authenticated=true`: `params.provider` is `rest`, nothing is authenticated', async (t) => {
  const { app, guarded, open } = await create(t as Test)
  for (const query of queries) {
    for (const url of ['/guarded', '/guarded/1', '/route']) t.equal((await ask(app, url + query, {})).status, 401, url)
    t.equal((await ask(app, `/open${query}`, {})).status, 200)
  }
  t.same(guarded, [])
  for (const { params } of open) {
    const { provider, user, authenticated, authentication } = params
    t.strictSame({ provider, user, authenticated, authentication }, none)
  }
})

t.test('headers of those names do nothing', async (t) => {
  const { app, guarded, open } = await create(t as Test)
  const headers = {
    ...spoofed,
    feathers: '{"authenticated":true}',
    'x-authenticated': 'true',
    cookie: `jwt=${forge()}`
  }
  for (const url of ['/guarded', '/route']) t.equal((await ask(app, url, headers)).status, 401, url)
  t.equal((await ask(app, '/open', headers)).status, 200)
  const [{ provider, user, authenticated, authentication } = {}] = open.map(({ params }) => params)
  t.strictSame({ provider, user, authenticated, authentication }, none)
  t.same(guarded, [])
})

t.test('a body of those names does nothing', async (t) => {
  const { app, guarded, open } = await create(t as Test)
  const bodies = [
    { ...spoofed, authentication: { strategy: 'jwt', accessToken: forge() } },
    { params: { authenticated: true, provider: undefined }, feathers: { authenticated: true } },
    { strategy: 'jwt', accessToken: forge() }
  ]
  for (const payload of bodies) {
    const send = async (url: string) => (await app.inject({ method: 'POST', url, payload })).statusCode
    t.same([await send('/guarded'), await send('/route'), await send('/open')], [401, 401, 201])
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = 'provider=&authenticated=true&authentication[strategy]=jwt'
  t.equal((await app.inject({ method: 'POST', url: '/guarded', headers: form, payload })).statusCode, 401)
  t.same(guarded, [])
  for (const { params } of open) t.strictSame([params.provider, params.authenticated], ['rest', undefined])
})

t.test('a placeholder named `provider`, `user` or `authenticated`', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) => {
      app.service('a/:provider/:authenticated/:user', whoami, around(guard))
      app.service('b/:provider/:authenticated/:user', whoami)
      app.get('/c/:authenticated', { preHandler: guard }, async () => 'let in')
    }
  })
  t.equal((await ask(app, '/a/x/true/1', {})).status, 401)
  t.match((await ask(app, '/b/x/true/1', {})).body, { user: null, authenticated: null, provider: 'rest' })
  t.equal((await ask(app, '/c/true', {})).status, 401)
})
