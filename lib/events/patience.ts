/** The error of an answer that has not come in time. */
export class LateAnswer extends Error {}

/**
 * Waits for a promise, and no longer than so many ms.
 * @throws what it rejects with, or LateAnswer
 */
export async function withinTime<T>(ms: number, promise: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateAnswer(`It has taken longer than ${ms} ms`)), ms).unref()
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
