import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authentication, memoryStorage } from 'fastify-services/client'
import t from 'tap'
import { createApi } from '../support/client-api.js'
import { createEcho } from '../support/client-app.js'
import { inNode } from '../support/client-drivers.js'

t.test('a redirect to another host does not carry the token there', async (t) => {
  const other = await createEcho(t)
  const location = `${other.address.replace('127.0.0.1', 'localhost')}/elsewhere`
  const tokens: unknown[] = []
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization)
    response.writeHead(302, { location }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const [adapter, library] of inNode) {
    const storage = memoryStorage()
    await storage.setItem('feathers-jwt', 'abc')
    const app = createApi(adapter, library).client(base).configure(authentication({ storage }))
    t.same(await app.service('things').find(), {}, adapter)
    t.same(tokens.splice(0), ['Bearer abc'], adapter)
    t.same(
      other.asked.splice(0).map(({ url, headers }) => [url, headers.authorization]),
      [['/elsewhere', undefined]],
      adapter
    )
  }
})
