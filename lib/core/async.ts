/** The error of `withTimeout`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Waits for a promise, for at most `ms` milliseconds.
 *
 * @throws {TimeoutError} if it takes longer; the promise itself goes on
 */
export async function withTimeout<T>(ms: number, promise: T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`It has taken longer than ${ms} ms`)), ms)
    letProcessEnd(timer)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits, without keeping the process from ending. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    letProcessEnd(setTimeout(resolve, ms))
  })

/** Waits before a retry: longer after each failure, up to a second. */
export const pauseAfter = (failures: number): Promise<void> => pause(Math.min(50 * 2 ** failures, 1000))

/**
 * Runs a task again after each of the pauses (in ms), until it succeeds. Its pauses keep the process
 * alive: a caller awaits the result.
 */
export async function retry<T>(task: () => Promise<T>, pauses: readonly number[]): Promise<T> {
  const [ms, ...rest] = pauses
  try {
    return await task()
  } catch (error) {
    if (ms === undefined) throw error
    await new Promise((resolve) => setTimeout(resolve, ms))
    return retry(task, rest)
  }
}

/**
 * Runs tasks with the same key one after another, and tasks with different keys at the same time.
 */
export class SerialQueue<Key> {
  readonly #last = new Map<Key, Promise<unknown>>()

  /** Runs a task after all earlier ones with its key, even if they failed. */
  async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const running = (this.#last.get(key) ?? Promise.resolve()).catch(() => {}).then(task)
    this.#last.set(key, running)
    try {
      return await running
    } finally {
      if (this.#last.get(key) === running) this.#last.delete(key)
    }
  }
}

// Browsers have numbers as timers, which keep no process alive.
function letProcessEnd(timer: { unref?(): unknown } | number): void {
  if (typeof timer === 'object') timer.unref?.()
}
