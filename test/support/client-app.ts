import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memory } from '@feathersjs/memory'
import { type ClientOptions, createClient, rest } from 'fastify-services/client'
import type { Test } from 'tap'
import { createHost } from './host.js'

/** What a server that answers everything in one way has been asked. */
export interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
  /** Settles when the answer is complete, or its connection has ended. */
  closed: Promise<unknown>
}

/** A server that writes down what it is asked, and answers by `answer`; closed when the test ends. */
export async function createEcho(t: Test, answer: (request: Asked) => object | string | null | undefined = () => ({})) {
  const requests: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const closed = once(response, 'close')
    const received = { method, url, headers, body: Buffer.concat(chunks).toString(), closed }
    requests.push(received)
    const body = answer(received)
    // Nothing: the client waits.
    if (body === undefined) return
    if (body === null) response.writeHead(204).end()
    else if (typeof body === 'string') response.writeHead(200, { 'content-type': 'text/plain' }).end(body)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, asked: requests }
}

/** A client of a server that writes down what it is asked. */
export async function createClientOfEcho(
  t: Test,
  answer?: (request: Asked) => object | string | null,
  routes: ClientOptions['routes'] = {}
) {
  const echo = await createEcho(t, answer)
  return { ...echo, app: createClient({ routes }).configure(rest(echo.address).fetch(fetch)) }
}

/** A client of a server with pages of two numbers at `/numbers`. */
export async function createClientOfNumbers(t: Test, count: number) {
  const { app: server } = await createHost(t, {
    after: (app) => {
      const numbers = memory<{ id: number }>({ paginate: { default: 2, max: 3 }, multi: true })
      app.service('numbers', numbers as object)
      app.service('plain', { find: async () => [{ id: 1 }, { id: 2 }] })
    }
  })
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  await server.service('numbers').create(Array.from({ length: count }, (_, id) => ({ id })))
  let requests = 0
  const counted: typeof fetch = (...args) => {
    requests++
    return fetch(...args)
  }
  const app = createClient().configure(rest(address).fetch(counted))
  return { app, requests: () => requests }
}
