import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import axios from 'axios'
import { createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { executablePath, sharePage } from '../support/chromium.js'
import type { Api } from '../support/client-api.js'
import { createDrivers } from '../support/client-drivers.js'
import { createRedirecting, type RedirectAsked } from '../support/redirecting.js'

// Each row is a request or two of each library, in Node and in a page.
t.setTimeout(120_000)

const statuses = [301, 302, 303, 307, 308]

/** The libraries in Node and, where there is Chromium, those of a page. `run` hands them a scenario, which may use its arguments alone. */
async function createSenders() {
  const drivers = await createDrivers()
  const inNode = drivers.filter(({ adapter }) => adapter !== 'jquery')
  const senders = inNode.map(({ adapter, run }) => ({ name: adapter as string, isPage: false, run }))
  if (executablePath === undefined) return senders
  const page = await sharePage()
  const inPage = ['api', 'fetchApi', 'axiosApi', 'superagentApi'].map((name) => ({
    name: `${name} of the page`,
    isPage: true,
    run: <A, R>(scenario: (api: Api, argument: A) => Promise<R>, argument: A): Promise<R> =>
      page.evaluate(`(${scenario})(globalThis.${name}, ${JSON.stringify(argument)})`)
  }))
  return [...senders, ...inPage]
}

/** Whatever of a request could be a secret. */
const secretsOf = (asked: readonly RedirectAsked[]) =>
  asked.filter((request) => /secret/.test(JSON.stringify(request))).map(({ method, url }) => `${method} ${url}`)

/** Makes a call that carries a secret to the authentication service, at a path that is redirected. */
const logIn = (api: Api, { base, act }: { base: string; act: string }) => {
  const storage = api.door.memoryStorage()
  const app = api.client(base).configure(api.door.authentication({ storage, path: 'from/authentication' }))
  const service = app.service('from/authentication')
  const calls: Record<string, () => Promise<unknown>> = {
    login: () => app.authenticate({ strategy: 'local', password: 'secret' }),
    'a login of a service': () => service.create({ strategy: 'local', password: 'secret' }),
    'a custom method': () =>
      (service as unknown as Record<'change', (data: object) => Promise<unknown>>).change({ password: 'secret' }),
    reAuthenticate: () => app.reAuthenticate(),
    renewal: () => app.service('refusing/things').find(),
    logout: () => app.logout(),
    remove: () => service.remove(null)
  }
  if (!act.includes('login')) storage.setItem('feathers-jwt', 'secret')
  if (act === 'renewal') storage.setItem('feathers-jwt-refresh', 'secret refresh')
  return api.outcome(calls[act] as () => Promise<unknown>)
}
const acts = ['login', 'a login of a service', 'a custom method', 'reAuthenticate', 'renewal', 'logout', 'remove']

t.test('a login, a renewal, a logout: 301, 302, 303, 307 and 308 do not take it to another port', async (t) => {
  const [here, there] = [await createRedirecting(t), await createRedirecting(t)]
  for (const { name, isPage, run } of await createSenders())
    for (const status of statuses)
      for (const act of acts) {
        Object.assign(here.redirect, { status, location: `${there.address}/to` })
        const outcome = (await run(logIn, { base: here.address, act })) as { message: string }
        const row = `${name}: ${act}, ${status}`
        t.match(outcome, { classOf: 'BadRequest', code: 400, message: here.address }, row)
        if (!isPage) t.match(outcome.message, there.address, row)
        t.same(there.asked.splice(0), [], row)
        t.equal(here.asked.splice(0).filter(({ url }) => url.startsWith('/from/')).length, 1, row)
      }
})

t.test('a login, a renewal, a logout: within their origin they follow a redirect, but in pages', async (t) => {
  const here = await createRedirecting(t)
  for (const { name, isPage, run } of await createSenders())
    for (const status of statuses)
      for (const act of acts) {
        Object.assign(here.redirect, { status, location: '/to' })
        const outcome = await run(logIn, { base: here.address, act })
        const row = `${name}: ${act}, ${status}`
        const asked = here.asked.splice(0)
        const first = asked.find(({ url }) => url.startsWith('/from/'))
        const second = asked.find(({ url }) => url === '/to')
        if (isPage) {
          t.match(outcome, { code: 400, message: `${here.address}/from/authentication` }, row)
          t.equal(second, undefined, row)
          continue
        }
        const stays = status > 306 || (status < 303 && first?.method === 'DELETE')
        t.match(second, { method: stays ? first?.method : 'GET', body: stays ? first?.body : '' }, row)
        t.equal(second?.headers.authorization, first?.headers.authorization, row)
        // The call itself is refused again, with the new token.
        t.match(outcome, act === 'renewal' ? { code: 401 } : { accessToken: 'new' }, row)
      }
})

/** Makes a call with a token, a header and data of its own to a service that is redirected. */
const callOnce = (api: Api, { base, method, path }: { base: string; method: string; path: string }) => {
  const storage = api.door.memoryStorage()
  storage.setItem('feathers-jwt', 'secret')
  const app = api.client(base).configure(api.door.authentication({ storage }))
  const { door: _, ...rest } = api
  const params = { headers: { 'X-Key': 'secret' }, ifMatch: 1 }
  const args: Record<string, unknown[]> = {
    find: [params],
    get: ['1', params],
    create: [{ a: 'secret' }, params],
    update: ['1', { a: 'secret' }, params],
    patch: ['1', { a: 'secret' }, params],
    remove: ['1', params],
    archive: [{ a: 'secret' }, params]
  }
  const service = app.service(path) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  return rest.outcome(() => (service[method] as (...args: unknown[]) => Promise<unknown>)(...(args[method] ?? [])))
}
/** Headers that say something of a body, or of what is changed by it. */
const ofBody = ['x-service-method', 'content-type', 'if-match']
const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']

t.test('Node: within their origin, calls follow redirects as fetch does, with every library', async (t) => {
  const here = await createRedirecting(t)
  for (const { name, isPage, run } of await createSenders())
    for (const status of statuses)
      for (const method of methods) {
        if (isPage) continue
        Object.assign(here.redirect, { status, location: '/to' })
        const outcome = await run(callOnce, { base: here.address, method, path: 'from/things' })
        const row = `${name}: ${method}, ${status}`
        const [first, second, ...others] = here.asked.splice(0)
        t.match(outcome, { accessToken: 'new' }, row)
        t.same(others, [], row)
        const stays = status > 306 || (status < 303 && first?.method !== 'POST')
        t.match(second, { method: stays ? first?.method : 'GET', body: stays ? first?.body : '' }, row)
        const headersLeft = ['authorization', 'x-key', 'accept', ...(stays ? ofBody : [])]
        for (const header of headersLeft) t.equal(second?.headers[header], first?.headers[header], `${row}: ${header}`)
        if (!stays) for (const header of ofBody) t.equal(second?.headers[header], undefined, `${row}: ${header}`)
      }
})

t.test('another origin gets no token, no header of ours and no body, from no call of no library', async (t) => {
  const [here, there] = [await createRedirecting(t), await createRedirecting(t)]
  for (const { name, isPage, run } of await createSenders())
    for (const status of statuses)
      for (const method of methods) {
        Object.assign(here.redirect, { status, location: `${there.address}/to` })
        const outcome = await run(callOnce, { base: here.address, method, path: 'from/things' })
        const row = `${name}: ${method}, ${status}`
        const [first] = here.asked.splice(0)
        const asked = there.asked.splice(0)
        if (isPage) {
          // The browser follows: it takes the token off, and nothing else.
          t.ok(
            asked.every(({ headers }) => headers.authorization === undefined),
            row
          )
          continue
        }
        const becomesGet = first?.method === 'GET' || status === 303 || (status < 303 && first?.method === 'POST')
        t.same(secretsOf(asked), [], row)
        t.same(
          asked.map(({ method, url, body }) => [method, url, body]),
          becomesGet ? [['GET', '/to', '']] : [],
          row
        )
        if (becomesGet) t.match(outcome, { accessToken: 'new' }, row)
        else t.match(outcome, { code: 400, message: new RegExp(`${here.address}/.*${there.address}`) }, row)
      }
})

/** Finds things with a token, by options of the call, at a path that is redirected. */
const findBy = (api: Api, { base, connection, header }: { base: string; connection?: object; header?: string }) => {
  const storage = api.door.memoryStorage()
  storage.setItem('feathers-jwt', 'secret')
  const app = api.client(base).configure(api.door.authentication({ storage, ...(header !== undefined && { header }) }))
  return api.outcome(() => app.service('from/things').find({ connection: connection as never }))
}
const sendersInNode = async () => (await createSenders()).filter(({ isPage }) => !isPage)

t.test('what is the same origin, and what is another', async (t) => {
  const [here, there] = [await createRedirecting(t), await createRedirecting(t)]
  const { port } = here
  const same = [
    `//127.0.0.1:${port}/to`,
    `HTTP://127.0.0.1:${port}/to`,
    `http://user:password@127.0.0.1:${port}/to`,
    `\\\\127.0.0.1:${port}/to`,
    `http://2130706433:${port}/to`,
    '../to'
  ]
  const other = [`//127.0.0.1:${there.port}/to`, `hTTp://user:password@127.0.0.1:${there.port}/to`]
  for (const { name, run } of await sendersInNode()) {
    for (const location of same) {
      Object.assign(here.redirect, { status: 307, location })
      t.match(await run(findBy, { base: here.address }), { accessToken: 'new' }, `${name}: ${location}`)
      const [, second] = here.asked.splice(0)
      t.match(second, { headers: { authorization: 'Bearer secret' } }, `${name}: ${location}`)
    }
    for (const location of other) {
      Object.assign(here.redirect, { status: 307, location })
      t.match(await run(findBy, { base: here.address }), { accessToken: 'new' }, `${name}: ${location}`)
      const [second] = there.asked.splice(0)
      t.equal(second?.headers.authorization, undefined, `${name}: ${location}`)
      t.match(await run(logIn, { base: here.address, act: 'login' }), { code: 400, message: there.address })
      t.same(there.asked, [], `${name}: ${location}`)
      here.asked.splice(0)
    }
  }
})

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
const skip = !hasIPv6 && 'there is no address ::1'

t.test('IPv6: a server at ::1 and one at 127.0.0.1 are two, with every library', { skip }, async (t) => {
  const [here, there] = [await createRedirecting(t, '::1'), await createRedirecting(t)]
  for (const { name, run } of await sendersInNode())
    for (const [base, other] of [
      [here, there],
      [there, here]
    ] as const) {
      Object.assign(base.redirect, { status: 307, location: '/to' })
      t.match(await run(findBy, { base: base.address }), { accessToken: 'new' }, name)
      t.match(base.asked.splice(0), [{}, { headers: { authorization: 'Bearer secret' } }], name)
      base.redirect.location = `${other.address}/to`
      t.match(await run(findBy, { base: base.address }), { accessToken: 'new' }, name)
      t.match(other.asked.splice(0), [{ headers: { authorization: undefined } }], name)
      t.match(await run(logIn, { base: base.address, act: 'login' }), { code: 400, message: other.address }, name)
      t.same(other.asked, [], name)
      base.asked.splice(0)
    }
})

t.test(
  'an address that is none of a server, and no address, is not followed: the redirect is the answer',
  async (t) => {
    const here = await createRedirecting(t)
    const locations = [
      'data:application/json,{}',
      'file:///etc/hostname',
      `blob:${here.address}/a`,
      'http://',
      undefined
    ]
    for (const { name, run } of await sendersInNode())
      for (const location of locations) {
        Object.assign(here.redirect, { status: 307, location })
        const row = `${name}: ${location}`
        t.match(await run(findBy, { base: here.address }), { code: 307 }, row)
        t.match(await run(logIn, { base: here.address, act: 'login' }), { code: 307 }, row)
        t.equal(here.asked.splice(0).length, 2, row)
      }
  }
)

t.test('20 redirects are followed, and fewer by the options of a call', async (t) => {
  const here = await createRedirecting(t)
  Object.assign(here.redirect, { status: 302, location: '/from/things' })
  const rows: [number, object | undefined][] = [
    [21, undefined],
    [21, { redirect: 'follow' }],
    [1, { redirect: 'manual' }],
    [1, { redirect: 'error' }],
    [1, { followRedirect: false }],
    [1, { maxRedirects: 0 }],
    [4, { maxRedirects: 3 }],
    [3, { redirects: 2 }]
  ]
  for (const { name, run } of await sendersInNode())
    for (const [count, connection] of rows) {
      const outcome = await run(findBy, { base: here.address, ...(connection && { connection }) })
      t.match(outcome, { code: 302 }, `${name}: ${JSON.stringify(connection)}`)
      t.equal(here.asked.splice(0).length, count, `${name}: ${JSON.stringify(connection)}`)
    }
})

t.test('a token in a header of another name goes to no other origin, in pages along no redirect', async (t) => {
  const [here, there] = [await createRedirecting(t), await createRedirecting(t)]
  Object.assign(here.redirect, { status: 307, location: `${there.address}/to` })
  for (const { name, run } of await createSenders()) {
    t.match(await run(findBy, { base: here.address, header: 'X-Token' }), { code: 400, message: here.address }, name)
    t.match(here.asked.splice(0), [{ headers: { 'x-token': 'Bearer secret' } }], name)
    t.same(there.asked, [], name)
  }
})

t.test('a stream is not sent again, and `auth` of a call not to another origin', async (t) => {
  const [here, there] = [await createRedirecting(t), await createRedirecting(t)]
  const app = createClient().configure(rest(here.address).fetch(fetch))
  const params = { headers: { authorization: 'Bearer secret', 'Content-Type': 'text/plain' } }
  for (const address of [here.address, there.address]) {
    Object.assign(here.redirect, { status: 307, location: `${address}/to` })
    await t.rejects(app.service('from/things').create(Readable.from(['a']) as never, params), { code: 307 })
    t.equal(here.asked.splice(0).length, 1)
  }
  const byAxios = createClient().configure(rest(here.address).axios(axios)).service('from/things')
  const auth = { username: 'ada', password: 'secret' }
  t.match(await byAxios.find({ ...params, connection: { auth } as never }), { accessToken: 'new' })
  t.match(here.asked, [{ headers: { authorization: /^Basic/ } }])
  t.equal(there.asked[0]?.headers.authorization, undefined)
})

t.test('a call without a token is redirected as its library does it', async (t) => {
  const here = await createRedirecting(t)
  Object.assign(here.redirect, { status: 302, location: '/to' })
  const follows = createClient().configure(rest(here.address).axios(axios)).service('from/things')
  t.match(await follows.find(), { accessToken: 'new' })
  const none = createClient().configure(rest(here.address).axios(axios.create({ maxRedirects: 0 })))
  await t.rejects(none.service('from/things').find(), { code: 302 })
})
