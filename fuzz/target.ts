import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { refreshToken } from './corpus.js'
import type { Case } from './mutations.js'

interface State {
  port: number
  open: Record<string, number>
  polluted: string[]
  refreshToken: string
}

// What is not answered, or not closed after its answer, is not waited for: an error that comes later is printed by the server.
const silence = 500
const pause = 100

/** The server in a process of its own. */
export class Target {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  #printed = ''
  #state: State
  #start: Record<string, number> = {}

  private constructor(child: ChildProcess, state: State) {
    this.#child = child
    this.#state = state
    this.#exited = once(child, 'exit')
  }

  static async start(): Promise<Target> {
    const child = fork(new URL('./server.js', import.meta.url), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    let printed = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk
    })
    const [state] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (typeof state !== 'object' || state === null) throw new Error(`The server does not start: ${printed}`)
    const target = new Target(child, state)
    child.stderr?.on('data', (chunk) => {
      target.#printed += chunk
    })
    // A connection of each kind is opened first, so that what the server makes once is there.
    for (let count = 0; count < 3; count++)
      await target.send({ text: 'GET /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' })
    target.#start = (await target.#ask())?.open ?? {}
    return target
  }

  async #ask(): Promise<State | undefined> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return undefined
    this.#child.send('state', () => {})
    const answer = await Promise.race([once(this.#child, 'message'), this.#exited.then(() => undefined), wait(20_000)])
    const [state] = (answer as [State] | undefined) ?? []
    if (state !== undefined) this.#state = state
    return state
  }

  /** Sends a case, and gives the statuses of the answers. */
  send({ text, cut, leave, split }: Case): Promise<number[]> {
    const bytes = Buffer.from(text.replaceAll(refreshToken, this.#state.refreshToken), 'latin1')
    return new Promise((resolve) => {
      let answer = ''
      const socket = connect({ port: this.#state.port, host: '127.0.0.1', noDelay: true })
      socket.setTimeout(silence, () => socket.destroy())
      socket
        .setEncoding('latin1')
        .on('error', () => {})
        .on('data', (chunk: string) => {
          socket.setTimeout(pause)
          // A stream without an end is not read for ever.
          if (answer.length < 300_000) answer += chunk
          if (leave || answer.length >= 300_000) socket.destroy()
        })
        .on('close', () => resolve(statusesOf(answer)))
      if (cut !== undefined) socket.write(bytes.subarray(0, cut), () => socket.destroy())
      else if (split !== undefined)
        socket.write(bytes.subarray(0, split), () => setImmediate(() => socket.write(bytes.subarray(split))))
      else socket.write(bytes)
    })
  }

  /**
   * What is wrong with the server now that nothing is under way; `undefined` when all is well.
   * @param patience how often it is asked whether all is closed, ten times a second
   */
  async problem(patience = 100): Promise<string | undefined> {
    let left: string[] = []
    for (let tries = 0; tries < patience; tries++) {
      const state = await this.#ask()
      if (this.#printed !== '') return `It printed: ${this.#printed.slice(0, 2000)}`
      if (state === undefined)
        return this.#child.exitCode === null && this.#child.signalCode === null ? 'It hangs' : 'It ended'
      if (state.polluted.length > 0) return `Object.prototype has ${state.polluted}`
      // The timer of `handlerTimeout` ends by itself, and late for a request that waited behind another one when its client left.
      left = Object.entries(state.open)
        .filter(([kind, count]) => kind !== 'Timeout' && count > (this.#start[kind] ?? 0))
        .map(([kind, count]) => `${count} ${kind} (${this.#start[kind] ?? 0} at the start)`)
      if (left.length === 0) return undefined
      await wait(100)
    }
    return `It has not closed: ${left.join(', ')}`
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }
}

// The line break makes it one: a body that has the text of a request in it, as JSON, has none.
const statusesOf = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) [ \w'-]*\r\n/g)].map(([, status]) => Number(status))
