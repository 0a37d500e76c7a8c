/** The time at which tests run whose outputs have times. */
export const today = 1_800_000_000

/** Stops the clock. @returns what puts it forward, in seconds */
export function stopClock(t: { teardown(end: () => void): void }) {
  const { now } = Date
  let seconds = today
  Date.now = () => seconds * 1000
  t.teardown(() => {
    Date.now = now
  })
  return (more: number) => {
    seconds += more
  }
}

const random: [RegExp, string][] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID'],
  [/"[\w-]{22}\.[\w-]{43}"/g, '"REFRESH"'],
  [/(:revoked:|:session:|"sid\\?":\\?")[\w-]{22}(?![\w-])/g, '$1SID'],
  [/("hash\\":\\")[\w-]{43}/g, '$1HASH'],
  [/x{50,}/g, 'xx…'],
  [/(\$scrypt\$[\w=,]+\$)[\w+/]+\$[\w+/]+/g, '$1SALT$HASH']
]

/** Data as JSON shows it, with names in place of what is random. */
export function tame(data: unknown): unknown {
  const text = JSON.stringify(data)
  if (text === undefined) return String(data)
  return JSON.parse(random.reduce((told, [form, name]) => told.replaceAll(form, name), text))
}

/** What an error tells, and those that it comes from. */
export function toldBy(error: unknown): string {
  const { name, message, cause } = error as Error
  return `${name}: ${message}${cause === undefined ? '' : ` < ${cause instanceof Error ? cause.name : typeof cause}`}`
}

/** What came of a call: what it gave, or what its error tells. */
export async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return tame(await call())
  } catch (error) {
    return toldBy(error)
  }
}
