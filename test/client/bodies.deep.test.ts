import { Readable } from 'node:stream'
import { createClient, rest } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { openSite, user } from '../support/browser-app.js'
import { howToInstall, sharePage } from '../support/chromium.js'
import { type Api, createApi } from '../support/client-api.js'
import { createEcho } from '../support/client-app.js'
import { createDrivers, inNode } from '../support/client-drivers.js'
import { claims, forge, now } from '../support/tokens.js'

type Send<A = string> = (api: Api, argument: A) => Promise<unknown>

// In a page a body is made where it is sent.
const bodies: Record<string, Send> = {
  FormData: ({ client }, base) => {
    const form = new FormData()
    form.set('text', 'ä')
    form.set('file', new Blob(['bytes'], { type: 'text/plain' }), 'a.txt')
    return client(base)
      .service('things')
      .create(form as never)
  },
  URLSearchParams: ({ client }, base) =>
    client(base)
      .service('things')
      .create(new URLSearchParams({ text: 'a b' }) as never),
  Blob: ({ client }, base) =>
    client(base)
      .service('things')
      .create(new Blob(['bytes'], { type: 'text/plain' }) as never),
  bytes: ({ client }, base) =>
    client(base)
      .service('things')
      .create(new TextEncoder().encode('bytes') as never, { headers: { 'Content-Type': 'text/plain' } })
}
const form = [/^multipart\/form-data; ?boundary=/, /name="text"\r\n\r\nä\r\n[\s\S]*filename="a.txt"[\s\S]*bytes/]
const search = [/^application\/x-www-form-urlencoded/, /^text=a(\+|%20)b$/]
const plain = [/^text\/plain/, /^bytes$/]
const expected: Record<string, (RegExp | undefined)[]> = {
  FormData: form,
  URLSearchParams: search,
  Blob: plain,
  bytes: plain
}

// In Node superagent and request have forms of their own for the rest.
const can: Record<string, readonly string[]> = {
  fetch: ['FormData', 'URLSearchParams', 'Blob', 'bytes'],
  axios: ['FormData', 'URLSearchParams', 'Blob', 'bytes'],
  jquery: ['FormData', 'URLSearchParams', 'Blob', 'bytes'],
  superagent: [],
  request: []
}

t.test('a form that only its methods tell, as that of React Native, is sent as it is', async (t) => {
  class NativeForm {
    append() {}
    getAll() {
      return []
    }
  }
  const bodies: unknown[] = []
  const native = async (_: string, { body }: { body?: unknown }) => {
    bodies.push(body)
    return new Response()
  }
  const things = createClient().configure(rest('http://a').fetch(native)).service('things')
  const form = new NativeForm()
  await things.create(form as never)
  await things.create({ getAll: 'a field' })
  t.equal(bodies[0], form)
  t.equal(bodies[1], '{"getAll":"a field"}')
})

t.test('Bodies that are not JSON are sent as they are, where the library can', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const { adapter, run } of await createDrivers())
    for (const name of can[adapter] ?? []) {
      t.same(await run(bodies[name] as Send, address), {}, `${adapter}: ${name}`)
      const [{ headers, body } = { headers: {}, body: '' }] = asked.splice(0)
      const [type, text] = expected[name] ?? []
      t.match([headers['content-type'], body], [type, text], `${adapter}: ${name}`)
    }
})

t.test('streams and Buffers in Node', async (t) => {
  const { address, asked } = await createEcho(t)
  const headers = { 'Content-Type': 'text/plain' }
  const made = {
    stream: () => Readable.from([Buffer.from('by'), Buffer.from('tes')]),
    web: () => new Blob(['bytes']).stream(),
    buffer: () => Buffer.from('bytes')
  }
  const rows = {
    fetch: ['stream', 'web', 'buffer'],
    axios: ['stream', 'buffer'],
    superagent: ['buffer'],
    request: ['buffer']
  }
  for (const { adapter, run } of await createDrivers())
    for (const name of (rows as Record<string, (keyof typeof made)[]>)[adapter] ?? []) {
      const send: Send = ({ client }, base) =>
        client(base)
          .service('things')
          .create(made[name]() as never, { headers })
      await run(send, address)
      t.match(asked.splice(0), [{ body: 'bytes', headers: { 'content-type': 'text/plain' } }], `${adapter}: ${name}`)
    }
})

t.test('a view sends the bytes that it shows, and no others', async (t) => {
  const { address, asked } = await createEcho(t)
  const headers = { 'Content-Type': 'text/plain' }
  for (const { adapter, run } of await createDrivers()) {
    if (adapter === 'superagent') continue
    const send: Send<{ base: string; headers: Record<string, string> }> = async ({ client }, { base, headers }) => {
      const all = new TextEncoder().encode('before PART after')
      const views = [all.subarray(7, 11), new DataView(all.buffer, 7, 4), new Uint16Array(all.slice(7, 11).buffer)]
      for (const view of views)
        await client(base)
          .service('things')
          .create(view as never, { headers })
    }
    await run(send, { base: address, headers })
    t.same(
      asked.splice(0).map(({ body }) => body),
      ['PART', 'PART', 'PART'],
      adapter
    )
  }
})

t.test('a Buffer of JSON is sent as it is', async (t) => {
  const { address, asked } = await createEcho(t)
  const headers = { 'Content-Type': 'application/json' }
  for (const [adapter, library] of inNode) {
    await createApi(adapter, library)
      .client(address)
      .service('things')
      .create(Buffer.from('{"a":1}') as never, { headers })
    t.match(asked.splice(0), [{ body: '{"a":1}', headers: { 'content-type': 'application/json' } }], adapter)
  }
})

t.test('a body that the library can not send is refused, and nothing is sent', async (t) => {
  const { address, asked } = await createEcho(t)
  const made = {
    FormData: () => new FormData(),
    URLSearchParams: () => new URLSearchParams({ text: 'a' }),
    Blob: () => new Blob(['bytes']),
    ArrayBuffer: () => new TextEncoder().encode('bytes').buffer,
    Uint8Array: () => new TextEncoder().encode('bytes'),
    stream: () => Readable.from(['bytes']),
    web: () => new Blob(['bytes']).stream()
  }
  const rows = {
    axios: ['web'],
    superagent: Object.keys(made),
    request: ['FormData', 'URLSearchParams', 'Blob', 'ArrayBuffer', 'stream', 'web']
  }
  for (const { adapter, run } of await createDrivers())
    for (const name of (rows as Record<string, string[]>)[adapter] ?? []) {
      const send: Send = ({ client, outcome }, base) =>
        outcome(() =>
          client(base)
            .service('things')
            .create(made[name as keyof typeof made]() as never)
        )
      t.match(await run(send, address), { code: 503, hasCause: true }, `${adapter}: ${name}`)
    }
  t.same(asked, [])
})

t.test('superagent in a browser sends what XMLHttpRequest does', { skip: howToInstall }, async (t) => {
  const { address, asked } = await createEcho(t)
  const page = await sharePage()
  for (const [name, send] of Object.entries(bodies)) {
    await page.evaluate(`(${send})(globalThis.superagentApi, ${JSON.stringify(address)})`)
    const [{ headers, body } = { headers: {}, body: '' }] = asked.splice(0)
    t.match([headers['content-type'], body], expected[name], name)
  }
})

t.test('a web stream in a browser is refused where it would be sent as a text', { skip: howToInstall }, async (t) => {
  const { address, asked } = await createEcho(t)
  const page = await sharePage()
  const send: Send = ({ client, outcome }, base) =>
    outcome(() =>
      client(base)
        .service('things')
        .create(new Blob(['bytes']).stream() as never)
    )
  for (const api of ['api', 'axiosApi', 'superagentApi'])
    t.match(await page.evaluate(`(${send})(globalThis.${api}, ${JSON.stringify(address)})`), {
      code: 503,
      hasCause: true
    })
  t.same(asked, [])
})

t.test('`$.ajaxSetup` of the page changes neither the query nor the body', { skip: howToInstall }, async (t) => {
  const { address, asked } = await createEcho(t)
  const page = await sharePage()
  t.teardown(() => page.reload())
  await page.evaluate(async (base) => {
    window.jquery.ajaxSetup({ cache: false, data: { more: 1 }, contentType: 'text/plain', processData: true })
    const things = window.api.client(base).service('things')
    await things.find({ query: { a: 1 } })
    await things.create({ b: 1 })
    await things.remove('1')
  }, address)
  t.same(
    asked.map(({ method, url, headers, body }) => [method, url, headers['content-type'], body]),
    [
      ['GET', '/things?a=1', undefined, ''],
      ['POST', '/things', 'application/json', '{"b":1}'],
      ['DELETE', '/things/1', undefined, '']
    ]
  )
})

t.test('a call that `beforeSend` of the page stops rejects', { skip: howToInstall }, async (t) => {
  const { address, asked } = await createEcho(t)
  const page = await sharePage()
  t.teardown(() => page.reload())
  const outcome = await page.evaluate((base) => {
    window.jquery.ajaxSetup({ beforeSend: () => false })
    const { client, outcome } = window.api
    return outcome(() => client(base).service('things').find())
  }, address)
  t.match(outcome, { code: 503, hasCause: true })
  t.same(asked, [])
})

/** A token of the user that has expired. */
const expired = forge(claims({ exp: now() - 1 }), {}, 's'.repeat(32))

/** What the bundle of `client-page.ts` has put on the page. */
interface Site {
  api: Api
  fetchApi: Api
  fetch: typeof fetch
  history: { pushState(state: unknown, title: string, path: string): void }
  jquery: { ajaxSetup(settings: object): void }
  localStorage: {
    getItem(key: string): string | null
    setItem(key: string, value: string): void
    removeItem(key: string): void
  }
}
declare const window: Site

t.test('a page finds, creates, patches and removes, through fetch and jQuery', { skip: howToInstall }, async (t) => {
  const { address, openPage } = await openSite(t as Test)
  const page = await openPage()
  for (const name of ['api', 'fetchApi'] as const) {
    const [own, prefixed, named] = await page.evaluate(
      async ([name, address]) => {
        const { client } = window[name]
        const seen: unknown[] = []
        const bases = [
          ['', 'messages'],
          [`${address}/api`, 'messages'],
          [address, 'api/messages']
        ] as const
        for (const [base, path] of bases) {
          const messages = client(base).service(path)
          const created = await messages.create({ text: 'a' })
          const [matches] = (await messages.find({ query: { text: 'a' } })) as object[]
          const patched = await messages.patch((created as { id: number }).id, { text: 'b' })
          seen.push([created, matches, patched, await messages.remove(null, { query: { text: 'b' } })])
        }
        return seen
      },
      [name, address] as const
    )
    for (const rows of [own, prefixed, named])
      t.match(rows, [{ text: 'a' }, { text: 'a' }, { text: 'b' }, [{ text: 'b' }]], name)
  }
})

t.test(
  '`rest()` is the origin of the page, whatever its path; an unbound `window.fetch` works; a Blob is one',
  { skip: howToInstall },
  async (t) => {
    const { openPage } = await openSite(t as Test)
    const seen = await (await openPage()).evaluate(async () => {
      const { createClient, rest } = window.api.door
      const { fetch: unbound } = window
      const app = createClient().configure(rest().fetch(unbound))
      const page = (await app.service('/').find()) as unknown as string
      const script = (await app.service('bundle.js').find()) as unknown as string
      window.history.pushState({}, '', '/a/page')
      const client = createClient().configure(rest().fetch(window.fetch.bind(globalThis)))
      return [page.slice(0, 15), typeof script, await client.service('messages').find()]
    })
    t.same(seen, ['<!DOCTYPE html>', 'string', []])
  }
)

t.test('logs in and out, and goes on after a reload', { skip: howToInstall }, async (t) => {
  const { openPage } = await openSite(t as Test)
  const page = await openPage()
  const first = await page.evaluate(async (user) => {
    const { authentication } = window.api.door
    const app = window.api.client('').configure(authentication({ storage: window.localStorage }))
    await app.authenticate({ strategy: 'local', ...user })
    return [await app.service('me').find(), Object.keys(window.localStorage).sort()]
  }, user)
  t.match(first, [{ email: user.email }, ['feathers-jwt', 'feathers-jwt-refresh']])
  await page.reload()
  const second = await page.evaluate(async () => {
    const { authentication } = window.api.door
    const app = window.fetchApi.client('').configure(authentication({ storage: window.localStorage }))
    const { user } = await app.reAuthenticate()
    await app.logout()
    const code = await app
      .service('me')
      .find()
      .catch((error) => error.code)
    return [user, Object.keys(window.localStorage), code]
  })
  t.match(second, [{ email: user.email }, [], 401])
})

t.test('two tabs take turns to renew a token', { skip: howToInstall }, async (t) => {
  const { openPage, refreshed } = await openSite(t as Test)
  const tabs = [await openPage(), await openPage()]
  await tabs[0]?.evaluate(async (user) => {
    const { authentication } = window.api.door
    const app = window.fetchApi.client('').configure(authentication({ storage: window.localStorage }))
    await app.authenticate({ strategy: 'local', ...user })
  }, user)
  await tabs[0]?.evaluate((token) => window.localStorage.setItem('feathers-jwt', token), expired)
  const matches = await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(async () => {
        const { authentication } = window.api.door
        const app = window.fetchApi.client('').configure(authentication({ storage: window.localStorage }))
        return Promise.all([app.service('me').find(), app.service('me').find()])
      })
    )
  )
  t.match(matches, Array(2).fill([{ email: user.email }, { email: user.email }]))
  t.equal(refreshed.length, 1)
})
