import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface RedirectAsked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Where a server redirects requests to whose path begins with `/from/`. */
export interface Redirect {
  status: number
  location?: string
}

// Pages of any origin may call it with any header.
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization,content-type,x-service-method,if-match,x-key,x-token',
  'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE'
}

/**
 * A server that writes down what it is asked. It redirects `/from/…` as `redirect` says, refuses `/refusing/…` with 401, and answers all else;
 * closed when the test ends.
 */
export async function createRedirecting(t: Test, host = '127.0.0.1') {
  const requests: RedirectAsked[] = []
  const redirect: Redirect = { status: 307 }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    if (method === 'OPTIONS') return response.writeHead(204, cors).end()
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    if (url.startsWith('/from/')) {
      const { status, location } = redirect
      return response.writeHead(status, { ...cors, ...(location !== undefined && { location }) }).end()
    }
    const isRefused = url.startsWith('/refusing/')
    response.writeHead(isRefused ? 401 : 200, { ...cors, 'content-type': 'application/json' })
    response.end(isRefused ? '{}' : '{"accessToken":"new"}')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { asked: requests, redirect, port, address: `http://${host.includes(':') ? `[${host}]` : host}:${port}` }
}
