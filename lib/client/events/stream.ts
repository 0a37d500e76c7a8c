import { attempt, readProperty, ServiceError, Unavailable } from '../../core/errors.js'
import { isObject } from '../../core/objects.js'
import { abortable } from '../transports/abortable.js'
import type { FetchResponse } from '../transports/fetch.js'
import { createFrameReader, type Frame } from './frames.js'
import { parseKey, type StreamMessage } from './messages.js'

/** The body of an answer, as `fetch` gives it. */
export interface StreamBody {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(): Promise<unknown>
  }
}

/** The part of `fetch` that `events` uses. */
export type StreamFetch = (url: string, init: object) => Promise<StreamResponse>

export interface StreamResponse extends FetchResponse {
  readonly headers: { get(name: string): string | null }
  readonly body: StreamBody | null
}

export const isEventStream = ({ status, headers }: StreamResponse) =>
  status === 200 && headers.get('content-type')?.startsWith('text/event-stream') === true

interface StreamRequest {
  /**
   * Asks for a stream of lists. It rejects with the error of the server, whose `retryAfter` says
   * when to ask again, in seconds.
   */
  open(keys: readonly string[], position: string | undefined, signal: AbortSignal): Promise<StreamBody>
  /** The lists that are wanted now. */
  keys(): readonly string[]
  tell(message: StreamMessage): void
  /** Logs a hint for the developer. */
  warn(text: string): void
  /** How often a server is expected to give a sign of life, until it says it, in ms. */
  readonly heartbeat: number
  /** Where to go on. */
  readonly position: string | undefined
}

/** How long a stream must have lasted for the next one to begin at once, in ms. */
const shortest = 1000

/** How long changes of the lists are collected, in ms. */
const collectionTime = 50

const bounded = (value: unknown, most: number) => Math.min(Math.max(Number(value) || 0, 0), most)

/**
 * How long to wait after so many failures, in ms. The clients of a server that comes back do not
 * all ask at once.
 */
export const waitAfter = (failures: number, first: number) =>
  Math.min(first * 2 ** failures, 30_000) * (0.5 + Math.random() / 2)

export const codeOf = (error: unknown) => Number(readProperty(error, 'code'))

/** Whether a refused list may be accepted later. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error)
  return !(code >= 400 && code < 500) || code === 408 || code === 429
}

/** An error as other tabs can get it. */
const errorToJSON = (error: unknown) =>
  error instanceof ServiceError ? error.toJSON() : { code: 503, message: String(readProperty(error, 'message')) }

/** Holds one stream of all lists that are wanted, and connects again when it has ended. */
export function createStream({ open, keys, tell, warn, heartbeat: usual, position }: StreamRequest) {
  let failures = 0
  let hasWarned = false
  // The connection that is open or under way, with its lists.
  let current: AbortController | undefined
  let wanted: readonly string[] = []
  // The last reported state of the stream, and of the lists that it lacks.
  let states: StreamMessage[] = []
  let collecting: ReturnType<typeof setTimeout> | undefined
  let pause: ReturnType<typeof setTimeout> | undefined

  /**
   * The lists that are wanted now, in the order in which they came: of too many, a server refuses
   * the last.
   */
  function keysByAge(): readonly string[] {
    const all = keys()
    return [...new Set([...wanted, ...all])].filter((key) => all.includes(key))
  }

  function warnOnce(text: string): void {
    if (!hasWarned) warn(`${text}: a proxy between here and the server may buffer or cut them`)
    hasWarned = true
  }

  /** Reads a stream to its end. */
  async function listen(aborter: AbortController) {
    const { signal } = aborter
    const hasPosition = position !== undefined
    const ending = { isConnected: false, isUseful: false, isSoon: false, retry: 1000 }
    let heartbeat = usual
    let silence: ReturnType<typeof setTimeout> | undefined

    function hear(): void {
      clearTimeout(silence)
      const giveUp = () => {
        if (!ending.isConnected) warnOnce('Streams of events are silent')
        aborter.abort(new Unavailable('The stream of events is silent'))
      }
      if (heartbeat) silence = setTimeout(giveUp, heartbeat * 2.5)
    }

    function take({ id, data, retry }: Frame): void {
      if (current !== aborter) return
      if (retry !== undefined) ending.retry = bounded(retry, 300_000)
      position = id ?? position
      const message = attempt(() => JSON.parse(data as string))
      if (!isObject(message)) return
      const { event, path, subscriptions, reason } = message
      if (typeof event !== 'string') return
      if (event === 'connected') {
        ending.isConnected = true
        heartbeat = bounded(message.heartbeat, 600_000)
        const state = {
          event,
          keys: wanted,
          wait: bounded(message.wait, 600_000),
          isResumed: true,
          // Where this is told again, it moves nobody back.
          get id() {
            return position
          }
        }
        states = [state]
        tell({ ...state, isResumed: hasPosition && id !== undefined })
        return
      }
      const isNamed = Array.isArray(subscriptions)
      const isOfStream = !isNamed && (event === 'reset' || event === 'stopped')
      if (isOfStream) ending.isSoon = /^(expired|revoked)$/.test(reason as string)
      ending.isUseful ||= !ending.isSoon
      const isConcerned = (key: string, index: number) =>
        isNamed ? subscriptions.includes(index) : wanted.length === 1 || parseKey(key)[0] === path
      const notice = { ...message, event, ...(!isOfStream && { keys: wanted.filter(isConcerned) }) }
      if (isNamed && event === 'stopped') states.push(notice)
      tell({ ...notice, id: position })
    }

    const begin = performance.now()
    const read = createFrameReader(take)
    const wait = <T>(run: () => Promise<T>) =>
      abortable<T>(signal, (resolve, reject) => {
        run().then(resolve, reject)
        return undefined
      })
    hear()
    try {
      const reader = (await wait(() => open(wanted, position, signal))).getReader()
      try {
        while (true) {
          const { done, value } = await wait(() => reader.read())
          hear()
          if (done) break
          read(value as Uint8Array)
        }
      } finally {
        reader.cancel().catch(() => {})
      }
    } finally {
      clearTimeout(silence)
    }
    const length = performance.now() - begin
    ending.isUseful ||= length > usual
    // A server that ends each stream as soon as it begins is not asked without a pause.
    ending.isSoon &&= length > shortest
    return ending
  }

  async function run(): Promise<void> {
    wanted = keysByAge()
    states = []
    if (!wanted.length) return
    const aborter = new AbortController()
    current = aborter
    let error: unknown
    const ending = await listen(aborter).catch((reason) => {
      error = reason
      return undefined
    })
    // `stop` has ended this connection.
    if (current !== aborter) return
    current = undefined
    const isOver = error && !isPassing(error)
    const reason = error ?? (ending?.isConnected ? undefined : new Unavailable('The stream of events has no beginning'))
    states = [{ event: isOver ? 'stopped' : 'stale', error: reason && errorToJSON(reason) }]
    states.forEach(tell)
    if (isOver) return
    failures = ending?.isUseful ? 0 : failures + 1
    if (failures === 3 && !error) warnOnce('Streams of events end at once')
    const delay = waitAfter(failures, ending?.retry ?? 1000)
    const least = bounded(readProperty(error, 'retryAfter'), 600) * 1000
    pause = setTimeout(run, ending?.isSoon ? 0 : Math.max(delay, least))
  }

  function stop(): void {
    clearTimeout(pause)
    clearTimeout(collecting)
    collecting = undefined
    current?.abort()
    current = undefined
  }

  function restart(): void {
    stop()
    void run()
  }

  return {
    stop,
    /** Connects again at once, as when the network is back. */
    restart,
    /** Connects with other lists, where they are others. */
    refresh(): void {
      collecting ??= setTimeout(() => {
        collecting = undefined
        if (keysByAge().join() !== wanted.join()) restart()
        else states.forEach(tell)
      }, collectionTime)
    }
  }
}
