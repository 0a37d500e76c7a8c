import { once } from 'node:events'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { Child } from './child.js'

export interface Answer {
  /** 0 when the connection ended without an answer. */
  status: number
  headers: Record<string, string>
  body: string
}

type Headers = Record<string, string>

function head(verb: string, target: string, headers: Headers): string {
  const lines = Object.entries({ Host: 'localhost', Accept: 'application/json', Connection: 'close', ...headers })
  return `${verb} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** A server in a process of its own that takes requests as they are; it ends with the test. */
export async function startChild(t: Test, script = 'auth-server.js') {
  const child = new Child(script)
  await child.start()
  t.teardown(() => child.stop())

  const request = async (verb: string, target: string, headers: Headers = {}, body = ''): Promise<Answer> => {
    const length =
      body === '' || 'Transfer-Encoding' in headers ? {} : { 'Content-Length': `${Buffer.byteLength(body)}` }
    return parse(await child.raw(head(verb, target, { ...length, ...headers }) + body))
  }
  const state = async () => JSON.parse((await request('GET', '/state')).body)

  /** Sends a part of a request, and goes away. */
  const leave = async (verb: string, target: string, headers: Headers, body: string): Promise<void> => {
    const socket = connect((await state()).port, '127.0.0.1')
    await once(socket, 'connect')
    await new Promise<void>((resolve) => {
      socket.write(head(verb, target, headers) + body, () => resolve())
    })
    socket.destroy()
    await once(socket, 'close')
  }

  /**
   * After each row: the process lives, the next plain `GET` answers 200, `({}).polluted` is undefined, nothing is
   * printed. Gives the calls of the service.
   */
  const alive = async (t: Test, row: string) => {
    const { status, body } = await request('GET', '/state')
    const { polluted, keys, calls } = JSON.parse(body)
    const state = [child.alive, status, polluted, keys, child.printed()]
    t.strictSame(state, [true, 200, 'undefined', [], ''], `${row}: alive`)
    return (calls as { method: string; id: string | null }[]).slice(0, -1)
  }

  return { request, leave, alive }
}

function parse(latin: string): Answer {
  const [head = '', ...rest] = Buffer.from(latin, 'latin1').toString().split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
  )
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') }
}
