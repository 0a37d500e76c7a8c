import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'

const large = Buffer.alloc(4_000_000, 'x')

/** A server that results are fetched from; closed when the test ends. */
export async function createUpstream(t: Test): Promise<string> {
  const server = createServer(({ url }, response) => {
    response.setHeader('x-end', 'kept').setHeader('Keep-Alive', 'timeout=5').setHeader('content-type', 'text/plain')
    if (url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync('text'))
    else if (url === '/chunks') {
      response.write('te')
      response.end('xt')
    } else if (url === '/broken') {
      response.setHeader('content-length', '100')
      response.write('te')
      setTimeout(() => response.destroy(), 50)
    } else if (url === '/large') response.end(large)
    else if (url === '/empty') response.setHeader('content-length', '0').end()
    else if (/^\/\d+$/.test(String(url))) response.writeHead(Number(url?.slice(1))).end()
    else response.end('text')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
