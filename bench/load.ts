import { connect, type Socket } from 'node:net'
import type { Case } from './cases.js'

const connections = 16

/**
 * Sends one request after the other over a fixed number of connections, each waiting for its answer (no pipelining). It writes
 * and reads bare sockets, so that the load costs less than what it measures.
 *
 * @returns the seconds from the first request to the last answer
 */
export async function drive(port: number, work: Case, requests: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const message = toMessage(work)
  const head = `HTTP/1.1 ${work.status} `
  let left = requests
  const send = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let received = ''
      const next = () => (left-- > 0 ? socket.write(message) : resolve())
      socket.once('error', reject).once('close', () => reject(new Error('The server has closed a connection')))
      socket.on('data', (chunk: string) => {
        received += chunk
        const length = lengthOf(received)
        if (length === undefined || received.length < length) return
        if (!received.startsWith(head) || received.length > length) reject(new Error(`Unexpected answer: ${received}`))
        received = ''
        next()
      })
      next()
    })
  const start = performance.now()
  try {
    await Promise.all(sockets.map(send))
    return (performance.now() - start) / 1000
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket))
    // One character per byte: lengths are counted in bytes.
    socket.setEncoding('latin1').once('error', reject)
    socket.setTimeout(10_000, () => socket.destroy(new Error('The server has not answered for 10 seconds')))
  })
}

function toMessage({ method, url, body = '' }: Case): string {
  const headers = ['Host: localhost', 'Accept: application/json', 'Connection: keep-alive']
  if (body !== '') headers.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return `${method} ${url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}

/** The length of an answer with its head, `undefined` while the head is not complete. */
function lengthOf(received: string): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1]
  if (length === undefined) throw new Error(`An answer without a length: ${received}`)
  return end + 4 + Number(length)
}
