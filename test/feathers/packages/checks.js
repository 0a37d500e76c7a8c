import { isDeepStrictEqual } from 'node:util'

const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/**
 * The checks of a package on one side: by name, what came, and whether it is what the package promises.
 */
export class Checks {
  results = new Map()

  /**
   * Runs a function, and compares what comes of it, as JSON, with what should. An error is `{ error: name }`, with its code where it has one.
   */
  async check(name, run, expected) {
    if (this.results.has(name)) throw new Error(`Two checks are named '${name}'`)
    let found
    try {
      found = plain(await run())
    } catch (error) {
      found = { error: error.name, ...(typeof error.code === 'number' && { code: error.code }) }
      this.results.set(name, { found, holds: isDeepStrictEqual(found, plain(expected)), message: error.stack })
      return
    }
    this.results.set(name, { found, holds: isDeepStrictEqual(found, plain(expected)) })
  }

  /** Records what was found elsewhere. */
  record(name, holds, message) {
    this.results.set(name, { found: holds, holds, message })
  }
}
