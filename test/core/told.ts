/** A value with what JSON leaves out: what is undefined, functions, symbols, errors, classes. */
export function told(value: unknown, around: readonly unknown[] = []): unknown {
  if (typeof value === 'function') return `(function ${value.name})`
  if (value === undefined || typeof value === 'symbol' || Number.isNaN(value)) return `(${String(value)})`
  if (typeof value !== 'object' || value === null) return value
  if (around.includes(value)) return '(as around)'
  const inner = [...around, value]
  if (value instanceof Error) return `(${value.name}: ${value.message})`
  if (Array.isArray(value)) return value.map((item) => told(item, inner))
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, told(part, inner)]))
}

/** What a function returns, or what it throws. */
export function outcomeOf(run: () => unknown): unknown {
  try {
    return told(run())
  } catch (error) {
    return { thrown: told(error) }
  }
}

/** What a promise is fulfilled with, or the error that it is rejected with. */
export const settledOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(told, (error) => ({ thrown: told(error) }))
