import { authentication, createClient, memoryStorage, rest } from 'fastify-services/client'
import superagent from 'superagent'
import t from 'tap'
import { createRedirecting } from '../support/redirecting.js'

// Ports that nobody but the system may take: the function that sends tells where a request would have gone.
t.test('a port that goes without saying, IPv6 and other names of an origin', async (t) => {
  const rows: [from: string, to: string, isSame: boolean][] = [
    ['http://example.com', 'http://example.com:80/to', true],
    ['http://example.com:80', '//example.com/to', true],
    ['https://example.com', 'https://example.com:443/to', true],
    ['https://example.com:443', '//EXAMPLE.com/to', true],
    ['http://example.com:443', 'https://example.com/to', false],
    ['https://example.com', 'http://example.com/to', false],
    ['http://example.com', 'https://example.com/to', false],
    ['https://example.com', 'https://example.com:80/to', false],
    ['http://example.com', 'http://example.com:8080/to', false],
    ['http://example.com', 'http://example.com./to', false],
    ['http://example.com', 'http://www.example.com/to', false],
    ['http://localhost', 'http://127.0.0.1/to', false],
    ['http://127.0.0.1', 'http://127.1:80/to', true],
    ['http://[::1]:3030', 'http://[0:0:0:0:0:0:0:1]:3030/to', true],
    ['http://[::1]', '//[::1]:80/to', true],
    ['http://[::1]:3030', '/to', true],
    ['http://[::1]:3030', 'http://[::1]/to', false],
    ['http://[::1]:3030', 'http://[::2]:3030/to', false],
    ['http://[::1]', 'http://localhost/to', false],
    ['http://[::ffff:127.0.0.1]', 'http://127.0.0.1/to', false]
  ]
  for (const [from, location, isSame] of rows) {
    const sent: [url: string, authorization: string | null][] = []
    const send: typeof fetch = async (input, init) => {
      const url = String(input)
      sent.push([url, new Headers(init?.headers).get('authorization')])
      if (new URL(url).pathname === '/to') return Response.json({ accessToken: 'new' })
      return new Response(null, { status: 307, headers: { location } })
    }
    const storage = memoryStorage()
    storage.setItem('feathers-jwt', 'secret')
    const app = createClient().configure(rest(from).fetch(send)).configure(authentication({ storage }))
    const row = `${from} → ${location}`
    t.match(await app.service('things').find(), { accessToken: 'new' }, row)
    t.same(
      sent.map(([, token]) => token),
      ['Bearer secret', isSame ? 'Bearer secret' : null],
      row
    )
    const login = app.authenticate({ strategy: 'local', password: 'secret' })
    if (isSame) t.match(await login, { accessToken: 'new' }, row)
    else await t.rejects(login, { code: 400, message: new URL(location, from).origin }, row)
    t.equal(sent.length, isSame ? 4 : 3, row)
  }
})

t.test(
  'in a page, a password goes by fetch, since other libraries follow redirects whatever they are told',
  async (t) => {
    const server = await createRedirecting(t)
    Object.assign(globalThis, { location: { origin: server.address } })
    t.teardown(() => Reflect.deleteProperty(globalThis, 'location'))
    const app = createClient().configure(rest(server.address).superagent(superagent)).configure(authentication())
    await app.authenticate({ strategy: 'local', password: 'secret' })
    await app.service('things').find()
    // The fetch of Node names itself, superagent does not.
    const isByFetch = server.asked.map(({ headers }) => headers['user-agent'] === 'node')
    t.strictSame(isByFetch, [true, false])
  }
)
