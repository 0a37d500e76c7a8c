import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { feathers } from '@feathersjs/feathers'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

/** An application that takes the requests of its sockets as `@feathersjs/socketio` does: before the listeners of the server. */
function createSocketed(http?: Server): { theirs: Theirs; closed: unknown[] } {
  const theirs = Object.assign(feathers(), { channel: () => {} }) as unknown as Theirs & { io?: object }
  const closed: unknown[] = []
  const { setup } = theirs
  theirs.setup = async function (this: Theirs, server: Server) {
    const httpServer = http ?? server
    const engine = { close: () => closed.push('engine') }
    theirs.io = { httpServer, engine, path: () => '/socket.io' }
    const others = httpServer.listeners('request')
    httpServer.removeAllListeners('request')
    httpServer.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.startsWith('/socket.io/')) response.end('socket')
      else for (const other of others) other.call(httpServer, request, response)
    })
    return setup.call(this, server) as Promise<Theirs>
  } as Theirs['setup']
  theirs.use('things', mirror)
  return { theirs, closed }
}

const ask = async (url: string) => {
  const response = await fetch(url)
  return `${response.status} ${(await response.text()).slice(0, 20)}`
}

t.test('sockets get their requests at every address of the server, and end with it', async (t) => {
  const { theirs, closed } = createSocketed()
  const app = await createMounted(t, theirs)
  await app.listen({ port: 0, host: 'localhost' })
  const addresses = app.addresses()
  for (const { family, address, port } of addresses as AddressInfo[]) {
    const base = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    t.equal(await ask(`${base}/socket.io/?transport=polling`), '200 socket', address)
    t.match(await ask(`${base}/nothing`), '404 ')
    t.match(await ask(`${base}/things`), '200 {')
  }
  t.comment(`${addresses.length} addresses`)
  // As on a second address, where no second one is.
  t.match(await app.inject('/socket.io/?transport=polling'), { statusCode: 200, body: 'socket' })
  t.same(closed, [])
  await app.close()
  t.same(closed, ['engine'])
})

t.test('sockets on a server of their own stay there', async (t) => {
  const { theirs } = createSocketed(createServer())
  const app = await createMounted(t, theirs)
  t.equal((await request(app, 'GET', '/socket.io/')).status, 404)
  t.equal((await request(app, 'GET', '/things')).status, 200)
})

t.test('those of an application that somebody else has set up stay open', async (t) => {
  const { theirs, closed } = createSocketed()
  await theirs.setup(createServer())
  const app = await createMounted(t, theirs)
  await app.ready()
  await app.close()
  t.same(closed, [])
})

t.test('an application that never got ready has no sockets to close', async (t) => {
  const { theirs, closed } = createSocketed()
  const app = await createMounted(t, theirs)
  await app.close()
  t.same(closed, [])
})
