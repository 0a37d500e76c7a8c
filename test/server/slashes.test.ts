import { request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

const service = (name: string) => ({
  find: async ({ query, route }: { query: object; route: object }) => ({ name, query, route }),
  get: async (id: string) => ({ name, id }),
  create: async (data: object) => ({ name, data }),
  remove: async (id: string | null) => ({ name, removed: id })
})

async function start(t: Test, server: FastifyServerOptions, build: (app: FastifyInstance) => unknown) {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  await build(app)
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  /** Sends a path as it is: a URL of two slashes may be a host to whoever reads it. */
  return (method: string, path: string, body?: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const request = ask({ port, method, path, headers }, async (response) => {
        const chunks = await response.toArray()
        resolve(`${response.statusCode} ${Buffer.concat(chunks)}`)
      })
      request.once('error', reject).end(body)
    })
}

t.test('a service answers at a URL with two slashes as at one with one', async (t) => {
  const ask = await start(t, {}, (app) => {
    app.service('things', service('things'))
    app.service('rooms/:room/things', service('rooms'))
  })
  t.equal(await ask('GET', '//things?a=1'), '200 {"name":"things","query":{"a":"1"},"route":{}}')
  t.equal(await ask('GET', '//things/1'), '200 {"name":"things","id":"1"}')
  t.equal(await ask('POST', '//things', '{"a":1}'), '201 {"name":"things","data":{"a":1}}')
  t.equal(await ask('DELETE', '//things'), '200 {"name":"things","removed":null}')
  t.equal(await ask('GET', '//rooms/blue/things'), '200 {"name":"rooms","query":{},"route":{"room":"blue"}}')
  t.match(await ask('PATCH', '//things'), /^405 /)
  t.match(await ask('DELETE', '//things/'), /^400 .*The id is empty/)
})

t.test('a service answers at its URL with a slash behind it, and hooks see the URL without it', async (t) => {
  const seen: string[] = []
  const ask = await start(t, {}, (app) => {
    app.addHook('onRequest', async ({ url, routeOptions }) => void seen.push(`${url} ${routeOptions.url}`))
    app.service('things', service('things'))
    app.service('rooms/:room/things', service('rooms'))
  })
  t.equal(await ask('GET', '/things/'), '200 {"name":"things","query":{},"route":{}}')
  t.equal(await ask('POST', '/rooms/blue/things/?a=/', '{"a":1}'), '201 {"name":"rooms","data":{"a":1}}')
  t.match(await ask('HEAD', '//things/?a=1'), /^200 /)
  t.match(await ask('PATCH', '/things/'), /^405 /)
  t.match(await ask('DELETE', '/things/'), /^400 .*The id is empty/)
  t.same(seen.slice(0, 3), ['/things /things', '/rooms/blue/things?a=/ /rooms/:room/things', '/things?a=1 /things'])
})

t.test('a slash before an empty placeholder is none too many', async (t) => {
  const ask = await start(t, {}, (app) => {
    app.service(':room', service('rooms'))
    app.service('things/:part', service('parts'))
  })
  t.match(await ask('GET', '/things/'), /^200 .*"parts".*"part":""/)
  t.match(await ask('GET', '/others/'), /^200 .*"rooms"/)
})

t.test('a route of the application with a slash behind it comes first, added before or after', async (t) => {
  const ask = await start(t, {}, (app) => {
    app.get('/things/', () => 'before')
    app.service('things', service('things'))
    app.service('words', service('words'))
    app.after(() => app.get('/words/', () => 'after'))
  })
  t.equal(await ask('GET', '/things/'), '200 before')
  t.equal(await ask('GET', '/words/'), '200 after')
  t.match(await ask('POST', '/things/', '{}'), /^201 /)
})

t.test('no other slashes are left out', async (t) => {
  const ask = await start(t, {}, (app) => {
    app.service('things', service('things'))
    app.service('rooms/:room/things', service('rooms'))
  })
  for (const url of ['///things', '/things//1/', '//', '//none', '//things//', '/x//things'])
    t.match(await ask('GET', url), /^404 /, url)
  t.match(await ask('DELETE', '//rooms//things'), /^40[04] /)
})

t.test('an empty placeholder is no slash too many', async (t) => {
  const ask = await start(t, {}, (app) => {
    app.service('things', service('things'))
    app.service(':room/things', service('rooms'))
  })
  t.match(await ask('DELETE', '//things'), /^400 .*':room' in the URL is empty/)
  t.match(await ask('GET', '//things/'), /^400 .*':room' in the URL is empty/, 'and a slash too many beside it')
  t.match(await ask('DELETE', '/things'), /^200 .*"things"/)
})

t.test('routes of the application, and its files, stay', async (t) => {
  const ask = await start(t, {}, (app) => {
    app.get('/:language/things', (request) => ({ of: 'the application', params: request.params }))
    app.get('//exactly', () => 'exactly')
    app.get('/*', (request) => `file ${(request.params as { '*': string })['*']}`)
    app.get('/:language/things/:id', () => 'never')
    app.service('things', service('things'))
    app.service('exactly', service('exactly'))
    app.service('words', service('words'))
  })
  t.equal(await ask('GET', '//things'), '200 {"of":"the application","params":{"language":""}}')
  t.equal(await ask('GET', '//exactly'), '200 exactly')
  t.equal(await ask('GET', '//index.html'), '200 file /index.html')
  t.match(await ask('GET', '//words'), /^200 .*"words"/)
  t.match(await ask('GET', '//words/1'), /^200 .*"words"/)
})

t.test('a host that rewrites URLs, or leaves slashes out itself', async (t) => {
  const seen: unknown[] = []
  const rewriteUrl = ({ url = '' }) => url.replace(/^\/api/, '')
  const ask = await start(t, { rewriteUrl }, (app) => {
    app.addHook('onRequest', async ({ url, originalUrl }) => void seen.push(url, originalUrl))
    app.service('things', service('things'))
  })
  t.match(await ask('GET', '/api//things'), /^200 /)
  t.match(await ask('GET', '//things'), /^200 /)
  t.same(seen, ['/things', '/api//things', '/things', '//things'])
  const duplicates = await start(t, { routerOptions: { ignoreDuplicateSlashes: true } }, (app) =>
    app.service('things', service('things'))
  )
  t.match(await duplicates('DELETE', '//things'), /^200 /)
  t.match(await duplicates('DELETE', '//things/'), /^400 /)
})

t.test('a guard that compares the beginning of URLs sees one slash, whichever of them it reads', async (t) => {
  for (const read of ['url', 'originalUrl'] as const) {
    const ask = await start(t, {}, (app) => {
      app.addHook('onRequest', async (request, reply) => {
        if (request[read].startsWith('/things')) await reply.code(401).send()
      })
      app.service('things', service('things'))
    })
    for (const url of ['/things', '//things', '//things/1']) t.match(await ask('GET', url), /^401 /, `${read} ${url}`)
  }
})

t.test('under a prefix, and in two instances that have the plugin each', async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  for (const prefix of ['/v1', '/v2'])
    await app.register(
      async (instance) => {
        await instance.register(services)
        instance.service('things', service(prefix))
      },
      { prefix }
    )
  for (const prefix of ['/v1', '/v2'])
    t.match((await app.inject({ url: `http://localhost/${prefix}/things` })).json(), { name: prefix })
})

t.test('the name of the constraint that no route needs may be one of the host all the same', async (t) => {
  const ask = await start(t, {}, (app) => {
    app.service('things', service('things'))
    app.get('/x', { constraints: { leadingSlash: 'y' } }, async () => 'x')
  })
  t.match(await ask('GET', '//things'), /^200/)
  t.match(await ask('GET', '/x'), /^404/)
})
