/**
 * Makes a wait, or a request of a library that knows no signals, abortable.
 *
 * @param start begins it, and returns a function that aborts it
 */
export function abortable<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => (() => unknown) | undefined
): Promise<T> {
  let onAbort!: () => void
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted?.()
    const abort = start(resolve, reject)
    onAbort = () => {
      abort?.()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort)
  }).finally(() => signal?.removeEventListener('abort', onAbort))
}
