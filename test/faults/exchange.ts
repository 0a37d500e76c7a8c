import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'

/** What is sent. */
export interface Request {
  /** Default: GET. */
  readonly verb?: string
  readonly target: string
  /** `Host`, `Accept: application/json`, `Connection: close` and the length of the body stand beside them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** When the client goes away: as soon as the request is sent, when the server says that it waits, with the first bytes of the body. */
  readonly leaves?: 'at once' | 'told' | 'midway'
}

export interface Answer {
  /** 0 when the connection ended without an answer. */
  status: number
  headers: Record<string, string>
  body: string
  /** Whether the body has come to its end. */
  isWhole: boolean
}

export type Send = (port: number, request: Request, told: () => Promise<unknown>) => Promise<Answer>

// What has no answer by then will get none.
const patience = 5000

/** Sends a request over a socket of its own, byte by byte as it is written. */
export const overHttp1: Send = (port, request, told) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.setTimeout(patience, () => socket.destroy())
    socket
      .on('error', () => {})
      .on('close', () => resolve(parse(Buffer.concat(chunks))))
      .on('data', (chunk) => {
        chunks.push(chunk)
        if (request.leaves === 'midway' && Buffer.concat(chunks).includes('\r\n\r\n')) socket.destroy()
      })
    if (request.leaves === 'told') told().then(() => socket.destroy())
    socket.write(toText(request), () => {
      if (request.leaves === 'at once') socket.destroy()
    })
  })

function toText({ verb = 'GET', target, headers, body = '' }: Request): string {
  const all: Record<string, string> = {
    Host: 'localhost',
    Accept: 'application/json',
    Connection: 'close',
    ...(body !== '' && !headers?.['Transfer-Encoding'] && { 'Content-Length': `${Buffer.byteLength(body)}` }),
    ...headers
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${verb} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

function parse(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('utf8', 0, end === -1 ? bytes.length : end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const body = bytes.subarray(end === -1 ? bytes.length : end + 4)
  const status = Number(first.split(' ')[1] ?? 0)
  if (headers['transfer-encoding'] === 'chunked') return { status, headers, ...dechunk(body) }
  const isWhole = Number(headers['content-length'] ?? body.length) === body.length
  return { status, headers, body: body.toString(), isWhole }
}

function dechunk(bytes: Buffer): { body: string; isWhole: boolean } {
  const parts: Buffer[] = []
  let at = 0
  let isWhole = false
  while (!isWhole && at < bytes.length) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
    isWhole = size === 0
  }
  return { body: Buffer.concat(parts).toString(), isWhole }
}

const lowerCase = (headers: Request['headers'] = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Sends a request over HTTP/2, in a session of its own. */
export const overHttp2: Send = (port, request, told) =>
  new Promise((resolve) => {
    const { verb = 'GET', target, headers, body = '', leaves } = request
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => {})
    const stream = session.request(
      { ':method': verb, ':path': target, accept: 'application/json', ...lowerCase(headers) },
      { endStream: body === '' }
    )
    const answer: Answer = { status: 0, headers: {}, body: '', isWhole: false }
    const chunks: Buffer[] = []
    const leave = () => stream.close(8)
    session.on('close', () => resolve({ ...answer, body: Buffer.concat(chunks).toString() }))
    stream.setTimeout(patience, leave)
    stream
      .on('error', () => {})
      .on('response', ({ ':status': status = 0, ...others }) => {
        answer.status = status
        for (const [name, value] of Object.entries(others)) answer.headers[name] = String(value)
      })
      .on('data', (chunk) => {
        chunks.push(chunk)
        if (leaves === 'midway') leave()
      })
      .on('end', () => {
        answer.isWhole = stream.rstCode === 0 && !stream.aborted
      })
      .on('close', () => {
        answer.isWhole &&= stream.rstCode === 0
        session.close()
      })
    if (leaves === 'told') told().then(leave)
    if (body !== '') stream.end(body)
    if (leaves === 'at once') leave()
  })
