import type { Mounted } from './mounted.js'

/** The set-up and the tear-down of a mounted application. Each runs once, and neither where somebody else has set it up. */
export class Lifecycle {
  readonly #application: Mounted
  readonly #check: () => Promise<void>
  #server: unknown
  #isStarted = false
  /** Whether it was set up here. */
  isOurs = false
  /** Whether its set-up runs. */
  isRunning = false

  /** @param check runs before the set-up. @throws to prevent it */
  constructor(application: Mounted, check: () => Promise<void>) {
    this.#application = application
    this.#check = check
  }

  async setup(server: unknown): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    await this.#check()
    if (this.#application._isSetup) return
    this.isOurs = true
    this.#server = server
    this.isRunning = true
    await this.#application.setup(server)
    this.isRunning = false
  }

  async teardown(): Promise<void> {
    if (this.isOurs) await this.#application.teardown(this.#server)
  }
}
