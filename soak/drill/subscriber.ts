import { get, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** What a subscriber was told, in order: the id of a note, or that it may have missed some. */
export type Notice = { readonly note: number; readonly at: number } | { readonly reset: true; readonly at: number }

/** A client that holds a stream, and goes on at its position when it has ended. */
export class Subscriber {
  readonly notices: Notice[] = []
  /** When it was connected for the first time. */
  since = Number.POSITIVE_INFINITY
  connections = 0
  readonly #port: number
  /** How long it does not read, again and again, in ms. */
  readonly #pause: number
  #position: string | undefined
  #isOver = false
  #response: IncomingMessage | undefined

  constructor(port: number, pause = 0) {
    this.#port = port
    this.#pause = pause
    void this.#run()
  }

  close(): void {
    this.#isOver = true
    this.#response?.destroy()
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#listen().catch(() => {})
      await wait(20 + Math.random() * 80)
    }
  }

  #listen(): Promise<void> {
    const headers = { accept: 'text/event-stream', ...(this.#position && { 'last-event-id': this.#position }) }
    const path = '/events?subscribe[0][path]=notes'
    return new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port: this.#port, path, headers, agent: false }, (response) => {
        this.#response = response
        if (response.statusCode !== 200) return reject(response.destroy())
        let rest = ''
        response
          .setEncoding('utf8')
          .on('data', (text: string) => {
            const frames = (rest + text).split('\n\n')
            rest = frames.pop() as string
            for (const frame of frames) this.#take(frame)
            if (this.#pause > 0) {
              response.pause()
              setTimeout(() => response.resume(), this.#pause)
            }
          })
          .on('close', resolve)
          .on('error', resolve)
      })
      request.on('error', reject)
    })
  }

  #take(frame: string): void {
    const lines = frame.split('\n')
    const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    this.#position = fieldOf('id') ?? this.#position
    const data = fieldOf('data')
    if (data === undefined) return
    const message = JSON.parse(data)
    const at = performance.now()
    if (message.event === 'connected') {
      this.connections += 1
      this.since = Math.min(this.since, at)
    } else if (message.event === 'reset' || message.event === 'changed') this.notices.push({ reset: true, at })
    else if (message.event === 'created') this.notices.push({ note: Number(message.data.id), at })
  }
}
