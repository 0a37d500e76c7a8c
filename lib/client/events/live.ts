import type { ClientParams } from '../../../types/client.js'
import type { ServiceAddons } from '../../../types/hooks.js'
import { readProperty } from '../../core/errors.js'
import { createEmitter, eventMethods } from '../../core/events.js'
import type { Hub } from './hub.js'
import type { Signal } from './messages.js'
import { codeOf, isPassing, waitAfter } from './stream.js'

/**
 * `loading`: nothing is known yet. `live`: the list is as the server has it, and changes with it.
 * `stale`: it was read, and the stream is away or not there yet. `error`: it could not be read, or
 * the server refuses it.
 */
export type ListState = 'loading' | 'live' | 'stale' | 'error'

type ListedItem<Result> = Result extends readonly (infer Item)[]
  ? Item
  : Result extends { data: readonly (infer Item)[] }
    ? Item
    : unknown

/** A list at a moment. It does not change: the next one is another object. */
export interface ListSnapshot<Result = unknown> {
  readonly state: ListState
  /** The records: of a page, those in `data`. Empty while it is loading, or if it is refused. */
  readonly data: readonly ListedItem<Result>[]
  /** The result of `find`, a list or a page. `undefined` while the list is loading or refused. */
  readonly result: Result | undefined
  /** Why it is `stale` or in `error`. */
  readonly error: Error | undefined
}

/**
 * A list that stays as the server has it, as long as somebody listens (docs/events.md#live-lists).
 */
export interface LiveList<Result = unknown> extends AsyncIterable<ListSnapshot<Result>> {
  /** The list as it is now. While nobody listens it is `loading`. */
  readonly current: ListSnapshot<Result>
  /**
   * Calls a function with the list, now and at each change. The first listener begins, and with the
   * last one all ends.
   *
   * @returns a function that ends it
   */
  subscribe(listener: (list: ListSnapshot<Result>) => unknown): () => void
}

interface FinderService extends ServiceAddons {
  find(params: ClientParams): Promise<unknown>
}

/**
 * How far the reads of a list are apart, and how long the first waits for the stream, in ms: if
 * that begins in time, one read is enough.
 */
const apart = 1000

const emptySnapshot: ListSnapshot = { state: 'loading', data: [], result: undefined, error: undefined }

interface VisiblePage {
  readonly hidden: boolean
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
}

/**
 * Makes a live list. It asks again when anything has happened to it, and never changes a record by
 * itself.
 */
export function createLive(hub: Hub, service: FinderService, key: string, params: ClientParams): LiveList {
  const page = (globalThis as { document?: VisiblePage }).document
  const { on, off, emit, listenerCount } = eventMethods(createEmitter(), undefined, (error) => console.error(error))
  let current = emptySnapshot
  // The result as JSON, if the list was read.
  let text: string | undefined
  let isLive = false
  // Why it is not.
  let away: Error | undefined
  let spread = 0
  let isClosed = false
  let isDue = false
  let failures = 0
  let last = -apart
  let timer: NodeJS.Timeout | undefined
  // Whether the list was refused when it was read last, by the service or by the stream.
  let isRefused = false
  // The read that is under way.
  let reading: AbortController | undefined
  let unwatch: (() => void) | undefined

  function show(change: Partial<ListSnapshot>): void {
    const next = { ...current, ...change }
    if (Object.entries(next).every(([name, value]) => current[name as 'state'] === value)) return
    current = next
    emit('list', current)
  }

  function ask(delay = 0): void {
    isDue = true
    if (timer || reading || !unwatch || (page?.hidden && text)) return
    timer = setTimeout(read, Math.max(last + apart - performance.now(), delay))
  }

  /** Reads at once: the back-off is over when the stream is back. */
  function askNow(): void {
    clearTimeout(timer)
    timer = undefined
    ask()
  }

  async function read(): Promise<void> {
    const aborter = new AbortController()
    const { signal } = aborter
    reading = aborter
    timer = undefined
    isDue = false
    last = performance.now()
    // A read that began before the stream did may miss a change, so another one follows.
    const wasLive = isLive
    let pause = 0
    try {
      const result = await service.find({ ...params, connection: { signal, ...params.connection } })
      if (reading !== aborter) return
      const now = JSON.stringify(result)
      const data = Array.isArray(result) ? result : readProperty(result, 'data')
      const isSame = text === now
      text = now
      show({
        state: isLive && wasLive ? 'live' : 'stale',
        error: away,
        ...(!isSame && { result, data: Array.isArray(data) ? data : [] })
      })
      if (isRefused && !isLive) hub.retry()
      isRefused = codeOf(away) === 403
      if (isRefused) pause = waitAfter(++failures, apart)
      else failures = 0
    } catch (error) {
      if (reading !== aborter) return
      const isAway = isPassing(error)
      const code = codeOf(error)
      isRefused = code === 403
      // A list that was read stays as it was then, unless the user may no longer see it.
      if (isRefused || code === 401) text = undefined
      show({ ...(!text && emptySnapshot), state: isAway && text ? 'stale' : 'error', error: error as Error })
      if (isAway || isRefused) pause = waitAfter(++failures, apart)
    }
    reading = undefined
    if (isDue || pause) ask(pause)
  }

  function forget(): void {
    clearTimeout(timer)
    reading?.abort()
    timer = reading = text = away = undefined
    isLive = isDue = isRefused = false
    failures = 0
    last = -apart
    current = emptySnapshot
  }

  function hear({ event, error, wait = 0 }: Signal): void {
    if (event === 'user' || event === 'closed') {
      forget()
      isClosed = event === 'closed'
      emit('list', current)
      if (!isClosed) ask(apart)
    } else if (event === 'connected') {
      if (!isLive) askNow()
      spread = wait
      isLive = true
      away = undefined
    } else if (event === 'stale' || event === 'stopped') {
      isLive = false
      away = error
      if (text && current.state !== 'error') show({ state: 'stale', error })
      // A stream that ends in good order is soon there again. One that fails may stay away.
      if (error || !text) ask(Math.random() * spread)
    } else ask(Math.random() * spread)
  }

  const goOn = () => isDue && ask()

  function begin(): void {
    page?.addEventListener('visibilitychange', goOn)
    // `watch` may call `hear` at once, when there is nothing else to end.
    unwatch = forget
    unwatch = hub.watch(key, { service, hear })
    if (hub.events.state !== 'closed') ask(apart)
  }

  function end(): void {
    page?.removeEventListener('visibilitychange', goOn)
    unwatch?.()
    unwatch = undefined
    forget()
  }

  const subscribe: LiveList['subscribe'] = (listener) => {
    const added = (list: unknown) => listener(list as ListSnapshot)
    added(current)
    on('list', added)
    if (!unwatch) begin()
    return () => {
      off('list', added)
      if (unwatch && listenerCount('list') === 0) end()
    }
  }

  return {
    get current() {
      return current
    },
    subscribe,
    [Symbol.asyncIterator]() {
      let isNew = false
      let isOver = false
      const waiting = new Set<() => void>()
      const wake = () => {
        for (const resolve of waiting) resolve()
        waiting.clear()
      }
      const unsubscribe = subscribe(({ state }) => {
        isNew = state !== 'loading'
        wake()
      })
      const done = { done: true as const, value: undefined }
      return {
        async next() {
          while (!isNew && !isOver && !isClosed) await new Promise<void>((resolve) => waiting.add(resolve))
          if (isOver || isClosed) return done
          isNew = false
          return { done: false, value: current }
        },
        async return() {
          isOver = true
          unsubscribe()
          wake()
          return done
        }
      }
    }
  }
}
