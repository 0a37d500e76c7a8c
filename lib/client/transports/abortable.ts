/** Aborts the request of a library that knows no signals. `start` begins it, and returns what aborts it. */
export function abortable<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => unknown
): Promise<T> {
  let onAbort = () => {}
  const promise = new Promise<T>((resolve, reject) => {
    const abort = start(resolve, reject)
    onAbort = () => {
      abort()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort)
  })
  return promise.finally(() => signal?.removeEventListener('abort', onAbort))
}
