/** Aborts what knows no signals: the request of a library, a wait. `start` begins it, and returns what aborts it. */
export function abortable<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => unknown
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    let abort = (): unknown => undefined
    const onAbort = () => {
      abort()
      reject(signal?.reason)
    }
    const once =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        signal?.removeEventListener('abort', onAbort)
        settle(value)
      }
    signal?.addEventListener('abort', onAbort)
    abort = start(once(resolve), once(reject))
  })
}
