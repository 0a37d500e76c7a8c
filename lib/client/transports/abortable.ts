/**
 * Makes a wait, or a request of a library that knows no signals, abortable.
 *
 * @param start begins it, and returns a function that aborts it
 */
export function abortable<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => (() => unknown) | undefined
): Promise<T> {
  let abort: (() => unknown) | undefined
  let fail!: (reason: unknown) => void
  const onAbort = () => {
    abort?.()
    fail(signal?.reason)
  }
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted?.()
    fail = reject
    signal?.addEventListener('abort', onAbort)
    abort = start(resolve, reject)
  }).finally(() => signal?.removeEventListener('abort', onAbort))
}
