import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: who asks knows what it is
  body: any
}

const agent = new Agent({ keepAlive: true, maxSockets: 100 })

/** Closes the connections that wait for further calls. */
export function hangUp(): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

/** Asks once, and reads the whole answer. */
export async function ask(
  url: string,
  method = 'GET',
  body?: unknown,
  token?: string,
  signal?: AbortSignal
): Promise<Answer> {
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` })
  }
  const call = request(url, { agent, method, headers, ...(signal && { signal }) })
  call.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const answer = await text(response)
  const isJson = response.headers['content-type']?.startsWith('application/json')
  return { status: response.statusCode ?? 0, body: isJson ? JSON.parse(answer) : answer }
}

/** Asks, and goes away after so many milliseconds. Whether it has worked is not known. */
export async function leave(
  url: string,
  method: string,
  body: unknown,
  token: string | undefined,
  milliseconds: number
): Promise<void> {
  await ask(url, method, body, token, AbortSignal.timeout(Math.floor(milliseconds))).catch(() => {})
}

/** Listens to the changes of a list, and goes away after so many milliseconds. @returns the status, and how many frames have come */
export async function listen(
  url: string,
  token: string | undefined,
  milliseconds: number
): Promise<{ status: number; frames: number }> {
  const headers = { accept: 'text/event-stream', ...(token && { authorization: `Bearer ${token}` }) }
  const call = request(url, { headers })
  call.end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let frames = 0
  response.setEncoding('utf8').on('data', (chunk: string) => {
    frames += chunk.split('\n\n').length - 1
  })
  // A server that stops ends it.
  const ended = new Promise((resolve) => response.once('close', resolve).on('error', () => {}))
  await Promise.race([wait(milliseconds), ended])
  response.destroy()
  return { status: response.statusCode ?? 0, frames }
}

/** Sends bytes as they are. Reads the answer slowly, and goes away in the middle or at its end. */
export function raw(url: string, bytes: string, reads = 5): Promise<void> {
  const { port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.setTimeout(500, () => socket.destroy())
    let left = reads
    socket
      .on('error', () => {})
      .on('close', () => resolve())
      .on('data', async () => {
        socket.pause()
        await wait(20)
        if (left-- > 0) socket.resume()
        else socket.destroy()
      })
    socket.write(bytes)
  })
}

/** The text of a request without a body. */
export const head = (path: string, method = 'GET', more = 'Accept: application/json\r\n') =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
