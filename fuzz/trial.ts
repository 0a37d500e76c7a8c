import { type Case, createCase } from './mutations.js'
import { createRandom } from './random.js'
import { Target } from './target.js'

const concurrent = 64

/** The case of a number: it needs none of those before it. */
export const caseOf = (seed: number, number: number): Case =>
  createCase(createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)))

/** Sends cases, some at the same time, and hands over the answers to each. */
export async function sendAll<T>(
  target: Target,
  list: readonly T[],
  toCase: (item: T) => Case,
  onAnswer: (item: T, statuses: number[]) => void
) {
  const left = [...list]
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift())
      onAnswer(item, await target.send(toCase(item)))
  }
  await Promise.all(Array.from({ length: concurrent }, work))
}

/** Tries what some cases do to a server that others have not harmed. */
export class Trial {
  #target: Target | undefined

  /** What is wrong afterwards. */
  async run(cases: readonly Case[]): Promise<string | undefined> {
    this.#target ??= await Target.start()
    let worst = 0
    await sendAll(
      this.#target,
      cases,
      (trialCase) => trialCase,
      (_case, statuses) => {
        worst = Math.max(worst, ...statuses)
      }
    )
    const problem = await this.#target.problem(15)
    const fault = worst >= 500 ? `An answer ${worst}. ${problem ?? ''}` : problem
    if (fault !== undefined) await this.stop()
    return fault
  }

  async stop(): Promise<void> {
    await this.#target?.stop()
    this.#target = undefined
  }
}
