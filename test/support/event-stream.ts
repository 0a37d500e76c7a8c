import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

/** What a frame says, as it was sent. */
export interface Told {
  readonly path: string
  readonly event: string
  readonly [name: string]: unknown
}

/** A subscriber at a socket of its own, which reads what comes as a browser does. */
export class Subscriber {
  readonly frames: Told[] = []
  /** The position, as the last frame has said it. */
  id: string | undefined
  head = ''
  isOver = false
  readonly socket: Socket
  #text = ''
  #wake: (() => void)[] = []

  constructor(port: number, url: string, headers: Record<string, string> = {}) {
    this.socket = connect(port, '127.0.0.1')
    const lines = Object.entries({ host: 'localhost', connection: 'close', accept: 'text/event-stream', ...headers })
    this.socket.write(`GET ${url} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    this.socket.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    this.socket.on('close', () => {
      this.isOver = true
      this.#notify()
    })
    this.socket.on('error', () => {})
  }

  get status(): number {
    return Number(this.head.split(' ')[1])
  }

  /** The events that were frames, without the first frame. */
  get events(): Told[] {
    return this.frames.filter(({ event }) => event !== 'connected')
  }

  /** Waits until something holds of what has come. @throws when the stream ends before */
  async until(holds: (subscriber: Subscriber) => boolean): Promise<this> {
    while (!holds(this)) {
      if (this.isOver) throw new Error(`The stream is over: ${this.head} ${this.#text} ${JSON.stringify(this.frames)}`)
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
    return this
  }

  /** Waits for so many events. */
  async count(number: number): Promise<Told[]> {
    await this.until(({ events }) => events.length >= number)
    return this.events
  }

  get connected(): Promise<this> {
    return this.until(({ frames }) => frames.length > 0)
  }

  async end(): Promise<this> {
    while (!this.isOver) await new Promise<void>((resolve) => this.#wake.push(resolve))
    return this
  }

  /** What stands behind the head of an answer that is no stream. */
  get body(): string {
    return this.#text
  }

  #read(text: string): void {
    this.#text += text
    if (this.head === '') {
      const end = this.#text.indexOf('\r\n\r\n')
      if (end < 0) return
      this.head = this.#text.slice(0, end)
      this.#text = this.#text.slice(end + 4)
    }
    if (/^content-type: text\/event-stream/im.test(this.head)) this.#readFrames()
    this.#notify()
  }

  #readFrames(): void {
    // Chunks have their length on a line before them.
    this.#text = this.#text.replace(/(^|\r\n)[\da-f]+\r\n/g, '')
    const frames = this.#text.split('\n\n')
    this.#text = frames.pop() ?? ''
    for (const frame of frames) {
      const lines = frame.split('\n').map((line) => line.replace(/^\r/, ''))
      const [id] = lines.filter((line) => line.startsWith('id: '))
      const [data] = lines.filter((line) => line.startsWith('data: '))
      if (id !== undefined) this.id = id.slice(4)
      if (data !== undefined) this.frames.push(JSON.parse(data.slice(6)))
    }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

/** Makes subscribers to an application that listens; they leave when the test ends. */
export function subscribersTo(
  t: Test,
  app: FastifyInstance
): (url: string, headers?: Record<string, string>) => Subscriber {
  const all: Subscriber[] = []
  t.teardown(() => {
    for (const { socket } of all) socket.destroy()
  })
  return (url, headers) => {
    const { port } = app.server.address() as { port: number }
    const subscriber = new Subscriber(port, url, headers)
    all.push(subscriber)
    return subscriber
  }
}
