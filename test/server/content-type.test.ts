import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t, { type Test } from 'tap'

async function answer(t: Test, result: unknown, type?: string) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const hook = (context: HookContext) => {
    if (type !== undefined) context.http.headers = { 'Content-Type': type }
  }
  app.service('things', { find: async () => result }, { hooks: { after: { find: hook } } })
  const { headers, body } = await app.inject('/things')
  return [headers['content-type'], body]
}

t.test('`context.http.headers` become headers: a `Content-Type` among them', async (t) => {
  t.strictSame(await answer(t, { a: 1 }, 'application/vnd.api+json'), ['application/vnd.api+json', '{"a":1}'])
  t.strictSame(await answer(t, 'a', 'application/vnd.api+json'), ['application/vnd.api+json; charset=utf-8', '"a"'])
  t.strictSame(await answer(t, 'a,b', 'text/csv'), ['text/csv', 'a,b'])
  t.strictSame(await answer(t, 'a,b'), ['application/json; charset=utf-8', '"a,b"'])
})

t.test(
  'a `Response` of fetch, whose body is decoded already, keeps its headers but those of the encoding',
  async (t) => {
    const upstream = createServer((_request, response) => {
      const body = gzipSync('{"a":1}')
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': body.length
      })
      response.end(body)
    }).listen(0)
    t.teardown(() => upstream.close())
    const url = `http://localhost:${(upstream.address() as AddressInfo).port}`
    t.strictSame(await answer(t, await fetch(url)), ['application/json', '{"a":1}'])
  }
)
