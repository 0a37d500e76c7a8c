import { isDeepStrictEqual } from 'node:util'
import { serve } from './serve.js'

const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/** The checks of a package on one side: by name, what came of each, and whether that is what the package promises. */
export class Checks {
  results = new Map()

  /** @param create makes an application of this side */
  constructor(create) {
    this.create = create
  }

  /**
   * Runs a function with an application of its own, and compares what comes of it, as JSON, with what should. An error is its name and its
   * code.
   */
  async check(name, run, expected) {
    if (this.results.has(name)) throw new Error(`Two checks are named '${name}'`)
    const side = await this.create()
    let found
    let message
    try {
      found = plain(await run(side))
    } catch (error) {
      found = { error: error.name, ...(typeof error.code === 'number' && { code: error.code }) }
      message = error.stack
    }
    await side.close()
    this.record(name, isDeepStrictEqual(found, plain(expected)), found, message)
  }

  /** A check of what one request or call gives, with hooks on the service `notes`: see `serve`. */
  hook(name, hooks, act, expected) {
    return this.check(name, async (side) => act(await serve(side, hooks)), expected)
  }

  record(name, holds, found = holds, message = undefined) {
    this.results.set(name, { holds, found, message })
  }
}
