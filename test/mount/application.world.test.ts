import { once } from 'node:events'
import t from 'tap'
import { read } from '../package/sources.js'
import { createMounted, createWarnings } from '../support/mounted-app.js'
import { connections, listen, useClient } from '../support/mounted-clients.js'
import { type Step, steps, users } from '../support/mounted-requests.js'
import { build, requireThere, type Side, serve } from '../support/mounted-sides.js'

t.setTimeout(900_000)

/** What is answered in another way, by the row of the page that says so. */
const differences: Readonly<Record<string, readonly string[]>> = {
  '| `PATCH /messages/`, `DELETE /messages/` |': ['change of an empty id', 'removal of an empty id'],
  '| create, update, patch without a body |': ['a message without a body'],
  '| a body that is invalid JSON, or of another type |': [
    'a message that is broken JSON',
    'a message that is null',
    'a message that is a text',
    'a message of another media type'
  ],
  '| an encoded id, such as `a%2Fb` |': ['one message by an encoded id'],
  '| `GET /messages/1/` |': ['one message with a slash'],
  '| errors that are not of Feathers |': ['change of nothing'],
  '| `POST /messages/1` |': ['a POST to a message'],
  '| 405 |': [
    'replacement of a user',
    'a method that is not exposed',
    'OPTIONS',
    'a custom method that is not there',
    'a method of every service',
    'a method of emitters',
    'a method of the adapter',
    'one of the six by its name'
  ],
  '| a path without a service |': ['no route', 'no route below a message', 'a path in other case']
}

// What is different each time: tokens, their ids, and times.
function mask(key: string, value: unknown): unknown {
  if (['iat', 'exp', 'jti', 'createdAt'].includes(key)) return typeof value
  return key === 'accessToken' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(value)) ? 'token' : value
}
const masked = (value: unknown): unknown => JSON.parse(JSON.stringify(value), mask)

async function ask({ base }: Side, token: string | undefined, { verb, url, headers, body }: Step) {
  const response = await fetch(base + url, {
    method: verb,
    redirect: 'manual',
    headers: { accept: 'application/json', ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: new TextEncoder().encode(body) })
  })
  const text = await response.text()
  const type = response.headers.get('content-type')?.split(';')[0] ?? null
  const isJSON = type === 'application/json' && text !== ''
  const [location, allow] = ['location', 'allow'].map((name) => response.headers.get(name))
  return { status: response.status, type, location, allow, body: isJSON ? JSON.parse(text) : text }
}

const login = (side: Side, name: keyof typeof users) =>
  ask(side, undefined, {
    verb: 'POST',
    url: '/authentication',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ strategy: 'local', ...users[name] })
  }).then(({ body }) => body.accessToken as string)

/** Sends all requests to a server. Each of the two logs in once. */
async function askAll(side: Side): Promise<ReadonlyMap<string, unknown>> {
  const tokens = new Map<string, string>()
  const answers = new Map<string, unknown>()
  for (const [name, step] of Object.entries(steps)) {
    if (step.as && !tokens.has(step.as)) tokens.set(step.as, await login(side, step.as))
    answers.set(name, masked(await ask(side, tokens.get(step.as ?? ''), step)))
  }
  return answers
}

/** What clients hear while others change messages, by REST and by sockets. */
async function hearAll({ base }: Side) {
  const open: { close(): void }[] = []
  const user = { email: 'events@example.com', password: 'secret' }
  const clients = Object.entries(connections).map(([name, connect]) => ({ name, client: connect(base, open) }))
  const [{ client: restClient }] = clients as [(typeof clients)[number]]
  await restClient.service('users').create(user)
  const nobody = listen((connections['a web socket'] as (typeof connections)[string])(base, open))
  const heard = new Map<string, ReturnType<typeof listen>>()
  for (const { name, client } of clients) {
    await client.authenticate({ strategy: 'local', ...user })
    if (name !== 'REST') heard.set(name, listen(client))
  }
  for (const { name, client } of clients) {
    const messages = client.service('messages')
    const { id } = await messages.create({ text: `by ${name}` })
    await messages.patch(id, { text: 'changed' })
    await messages.get(0).catch(() => {})
    await messages.remove(id)
  }
  await restClient.service('messages').create({ text: 'the end' })
  for (const { end } of heard.values()) await end
  for (const socket of open) socket.close()
  return masked([nobody.heard, ...[...heard].map(([name, { heard }]) => [name, heard])])
}

t.test('an application of the Feathers CLI, on @feathersjs/koa and mounted', async (t) => {
  await build(t)
  const sides = [await serve(t, 'koa'), await serve(t, 'mounted')] as const
  const onBoth = <T>(use: (side: Side) => Promise<T>) => Promise.all([use(sides[0]), use(sides[1])])

  await t.test(`the same answers to ${Object.keys(steps).length} requests`, async (t) => {
    const [theirs, ours] = await onBoth(askAll)
    const page = read('docs/from-feathers.md')
    const mounting = read('docs/mounting-feathers.md')
    for (const row of Object.keys(differences)) t.match(page, row, `the page has a row: ${row}`)
    const listed = Object.values(differences).flat()
    for (const [name, answer] of ours)
      if (listed.includes(name)) t.strictNotSame(answer, theirs.get(name), `${name}: as the page says`)
      else t.strictSame(answer, theirs.get(name), name)
    t.ok(listed.every((name) => ours.has(name)))
    const counts = `${ours.size} requests to an application of the CLI on Koa and mounted: ${ours.size - listed.length} answers are the same, ${listed.length} differ`
    t.match(mounting, counts)
  })

  for (const [name, connect] of Object.entries(connections))
    await t.test(`its own client gets the same, by ${name}`, async (t) => {
      const open: { close(): void }[] = []
      const [theirs, ours] = await onBoth(async ({ base }) =>
        masked(await useClient(connect(base, open), `${name.replaceAll(' ', '-')}@example.com`))
      )
      t.strictSame(ours, theirs)
      t.match(ours, { 'log in': { accessToken: 'token' }, messages: { total: 1 }, 'the removal': { id: Number } })
      for (const socket of open) socket.close()
    })

  await t.test('its sockets hear the same, whoever has made the change and how', async (t) => {
    const [theirs, ours] = await onBoth(hearAll)
    t.strictSame(ours, theirs)
    const [nobody, ...others] = ours as [unknown[], ...[string, unknown[]][]]
    t.same(nobody, [], 'who has not logged in hears nothing')
    t.same(
      others.map(([name, heard]) => `${name} ${heard.length}`),
      ['a web socket 10', 'a socket by polling 10']
    )
  })

  await t.test('OAuth without the option `fallback`: it is told, and the rest works', async (t) => {
    const { feathers } = requireThere('@feathersjs/feathers')
    const { koa, rest } = requireThere('@feathersjs/koa')
    const { AuthenticationService, JWTStrategy } = requireThere('@feathersjs/authentication')
    const { oauth, OAuthStrategy } = requireThere('@feathersjs/authentication-oauth')
    const theirs = koa(feathers()).configure(rest())
    const secret = 'a secret of 32 bytes, not a real one'
    const settings = { entity: null, authStrategies: ['jwt'], oauth: { github: { key: 'a', secret: 'b' } } }
    theirs.set('host', 'localhost').set('port', 3030)
    theirs.set('authentication', { secret, ...settings })
    const service = new AuthenticationService(theirs)
    service.register('jwt', new JWTStrategy())
    service.register('github', new OAuthStrategy())
    theirs.use('authentication', service).configure(oauth())
    const { warnings, logger } = createWarnings()
    const app = await createMounted(t, theirs, { server: { logger } })
    t.equal((await app.inject('/oauth/github')).statusCode, 404)
    const payload = { strategy: 'jwt', accessToken: await service.createAccessToken({}) }
    t.equal((await app.inject({ method: 'POST', url: '/authentication', payload })).statusCode, 201)
    t.match(warnings, [
      'OAuth of the Feathers application needs the option `fallback`: oauth/:provider, oauth/:provider/callback'
    ])
  })

  await t.test('the server closes while sockets are open', async (t) => {
    const [, mounted] = sides
    const open: { close(): void }[] = []
    for (const [name, connect] of Object.entries(connections))
      await connect(mounted.base, open)
        .service('users')
        .create({ email: `${name}@closing.com`, password: 'x' })
    t.equal(open.length, 2)
    mounted.child.kill('SIGTERM')
    const [code] = await once(mounted.child, 'exit')
    t.equal(code, 0)
    for (const socket of open) socket.close()
  })
})
