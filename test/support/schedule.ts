import { createGenerator } from './random.js'

/** What happens, in an order that a seed decides. */
export interface Schedule {
  /** What has happened, in order. */
  readonly trace: string[]
  /** A number below one. */
  random(): number
  chance(probability: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
  /** Lets something happen at a time of the seed's choice, not before it `isReady`, and gives what `run` gives. */
  later<T>(name: string, run: () => T, isReady?: () => boolean): Promise<T>
  /** Lets all happen that there is to happen, and what that brings about. */
  drain(): Promise<void>
}

interface Step {
  readonly name: string
  /** How likely it is to be next. */
  readonly weight: number
  run(): void
  isReady(): boolean
}

// All promises that can go on have gone on.
const quiet = () => new Promise((resolve) => setImmediate(resolve))

/** Makes a schedule. The same seed gives the same order. */
export function createSchedule(seed: number): Schedule {
  const random = createGenerator(seed)
  function choose(ready: Step[]): Step | undefined {
    let left = random() * ready.reduce((sum, { weight }) => sum + weight, 0)
    return ready.find(({ weight }) => {
      left -= weight
      return left < 0
    })
  }
  const trace: string[] = []
  const steps: Step[] = []
  return {
    trace,
    random,
    chance: (probability) => random() < probability,
    pick: (list) => list[Math.floor(random() * list.length)] ?? list[0],
    later: (name, run, isReady = () => true) =>
      new Promise((resolve, reject) => {
        const step = () => {
          try {
            resolve(run())
          } catch (error) {
            reject(error)
          }
        }
        // A few steps are slow: a lot happens before them.
        steps.push({ name, weight: random() < 0.15 ? 0.03 : 1, run: step, isReady })
      }),
    async drain() {
      await quiet()
      while (steps.length > 0) {
        const step = choose(steps.filter(({ isReady }) => isReady()))
        if (step === undefined) throw new Error(`nothing can go on: ${steps.map(({ name }) => name).join(', ')}`)
        steps.splice(steps.indexOf(step), 1)
        trace.push(step.name)
        step.run()
        await quiet()
      }
    }
  }
}
