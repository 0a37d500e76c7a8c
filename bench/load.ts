import { connect, type Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { Answer } from './answer.js'
import { headersOf, workOf } from './works.js'

const connections = 16

/**
 * Makes what sends one request after the other over a fixed number of connections, each waiting for its answer (no pipelining). It
 * writes and reads bare sockets, so that the load costs less than what it measures. The connections stay open from the first request
 * of the warm-up to the last one: one that closes makes Node compile anew what it had optimised. `drive` returns the body of the last answer.
 */
export async function createLoad(port: number, token: string) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))

  async function drive(name: string, requests: number): Promise<string> {
    const message = toMessage(name, token)
    const head = `HTTP/1.1 ${workOf(name).status} `
    let left = requests
    let last = new Answer()
    const send = (socket: Socket) =>
      new Promise<void>((resolve, reject) => {
        let answer = new Answer()
        const next = () => (left-- > 0 ? socket.write(message) : resolve())
        const onClose = (error?: Error) => reject(error ?? new Error('The server has closed a connection'))
        socket.removeAllListeners().on('error', onClose).on('close', onClose)
        socket.on('data', (piece: string) => {
          if (!answer.add(piece)) return
          if (!answer.text.startsWith(head)) reject(new Error(`Unexpected answer: ${answer.text}`))
          last = answer
          answer = new Answer()
          next()
        })
        next()
      })
    const sleep = stayAwake()
    await Promise.all(sockets.map(send)).finally(sleep)
    return last.body
  }

  const close = () => {
    for (const socket of sockets)
      socket
        .removeAllListeners()
        .on('error', () => {})
        .destroy()
  }
  return { drive, close }
}

/**
 * Keeps this process from sleeping: the write of an answer wakes a client that sleeps, which is work for the server that it has not between machines.
 * @returns what lets it sleep again
 */
function stayAwake(): () => void {
  let isAwake = availableParallelism() > 1
  const turn = () => void (isAwake && setImmediate(turn))
  turn()
  return () => {
    isAwake = false
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket))
    // With one character for each byte, lengths are counted in bytes.
    socket.setEncoding('latin1').once('error', reject)
  })
}

function toMessage(name: string, token: string): string {
  const { method, url, body = '' } = workOf(name)
  const headers = Object.entries({ host: 'localhost', connection: 'keep-alive', ...headersOf(name, token) })
  if (body !== '') headers.push(['content-length', String(Buffer.byteLength(body))])
  const lines = headers.map(([header, value]) => `${header}: ${value}`)
  return `${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
