import { hangUp } from './calls.js'

/** What is done again and again, and how often beside the others. */
export type Actions = readonly (readonly [weight: number, act: () => Promise<unknown>])[]

const workers = 24

/** What is wrong: it is said once, however often it is met. */
export class Violations {
  readonly #counts = new Map<string, number>()

  add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  get list(): string[] {
    return [...this.#counts].map(([what, count]) => (count === 1 ? what : `${what} (${count} times)`))
  }
}

/** Load that goes on until it is stopped. */
export class Load {
  #isRunning = true
  readonly #ended: Promise<unknown>
  count = 0

  /** @param beside what one does alone, again and again, while the others do the actions */
  constructor(actions: Actions, violations: Violations, beside?: () => Promise<unknown>) {
    const bag = actions.flatMap(([weight, act]) => Array<typeof act>(weight).fill(act))
    const work = async (next: () => Promise<unknown>) => {
      while (this.#isRunning) {
        this.count++
        await next().catch((error: Error) => {
          // A server that was told to stop refuses what comes then.
          if (this.#isRunning) violations.add(`A call failed: ${error.message} ${String(error.cause ?? '')}`)
        })
      }
    }
    const any = () => (bag[Math.floor(Math.random() * bag.length)] as () => Promise<unknown>)()
    this.#ended = Promise.all([...Array.from({ length: workers }, () => work(any)), beside && work(beside)])
  }

  /** From now on calls may fail. */
  release(): void {
    this.#isRunning = false
  }

  async stop(): Promise<void> {
    this.release()
    await this.#ended
    hangUp()
  }
}

/** Fails where the status is another one. */
export function expect(answer: { status: number; body: unknown }, ...statuses: number[]): void {
  if (!statuses.includes(answer.status))
    throw new Error(`${answer.status} in place of ${statuses}: ${JSON.stringify(answer.body)?.slice(0, 200)}`)
}
