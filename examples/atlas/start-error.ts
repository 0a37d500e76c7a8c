/** Why the atlas can't start, in one line for whoever starts it. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(cause === undefined ? message : `${message}: ${reason(cause)}`, { cause })
  }
}

// The file system of PGlite names its errors by the numbers of WASI alone.
const wasi: Readonly<Record<number, string>> = {
  2: 'permission denied',
  51: 'no space left',
  63: 'not permitted',
  69: 'read-only file system'
}

function reason(cause: unknown): string {
  // A host with several addresses that refuse gives an AggregateError without a message.
  const error = cause instanceof AggregateError ? cause.errors[0] : cause
  const { message, code, errno = 0 } = error as { message?: string; code?: string; errno?: number }
  return (message || code || wasi[errno] || `error ${errno}`).replaceAll(/\s+/g, ' ')
}
