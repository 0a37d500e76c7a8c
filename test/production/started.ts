import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { ProductionOptions } from 'fastify-services/production'
import type { Test } from 'tap'

interface ChildOptions extends Omit<ProductionOptions, 'isReady'> {
  logger?: boolean
  servers?: number
}

/** Starts child.ts. */
export async function start(t: Test, options: ChildOptions = {}) {
  const script = fileURLToPath(new URL('child.js', import.meta.url))
  const child = fork(script, [JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  t.teardown(() => child.kill('SIGKILL'))
  const printed = Promise.all([child.stdout, child.stderr].map((stream) => stream && text(stream)))
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  const [ports] = (await once(child, 'message')) as [number[]]
  const url = `http://127.0.0.1:${ports[0]}`
  return {
    ports,
    url,
    exit,
    /** All that it prints until it ends. */
    printed: async () => (await printed).join(''),
    answer: () => child.send('answer'),
    /** Resolves when a call has come. */
    called: () => once(child, 'message'),
    /** Sends a signal, and resolves when no connection is accepted any more. */
    async signal(name: NodeJS.Signals) {
      child.kill(name)
      while (await isOpen(ports[0])) await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

const isOpen = (port = 0) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Opens a connection and sends a text, which may be empty. */
export async function open(t: Test, port = 0, sent = ''): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  t.teardown(() => socket.destroy())
  const received = new Promise<string>((resolve) => {
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.once('close', () => resolve(answer))
  })
  await once(socket, 'connect')
  if (sent !== '') await new Promise<void>((resolve) => socket.write(sent, () => resolve()))
  return { socket, received }
}
