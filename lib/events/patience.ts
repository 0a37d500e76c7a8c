/** Waits for a promise, and no longer than so many ms. @throws what it rejects with, or that it takes too long */
export async function withinTime<T>(ms: number, promise: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It has taken longer than ${ms} ms`)), ms).unref()
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
