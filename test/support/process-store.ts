import type { Store } from '../../index.js'
import { memoryStore } from '../../index.js'
import { createGate } from './gate.js'

/** What is on its way between a process and the store that it shares with others. */
export interface Travelling {
  readonly method: keyof Store
  readonly key: string
  readonly isAnswer: boolean
}

/**
 * A store, and what it looks like from a process: `travel` is called for each question on its way to the store and each answer on its way back. What it returns
 * is waited for, and where it fails, the question or the answer is lost.
 */
export function createProcessStore(
  travel: (message: Travelling) => unknown,
  shared: Required<Store> = memoryStore() as Required<Store>
): Required<Store> {
  const ask = async <T>(method: keyof Store, key: string, question: () => T): Promise<Awaited<T>> => {
    await travel({ method, key, isAnswer: false })
    const answer = await question()
    await travel({ method, key, isAnswer: true })
    return answer
  }
  return {
    get: (key) => ask('get', key, () => shared.get(key)),
    set: (key, value, seconds) => ask('set', key, () => shared.set(key, value, seconds)),
    add: (key, value, seconds) => ask('add', key, () => shared.add(key, value, seconds)),
    delete: (key) => ask('delete', key, () => shared.delete(key))
  }
}

/** Where messages between a process and its store pass. */
export interface Line {
  travel: (message: Travelling) => unknown
}

/** From the first message on for which `isPlace` says so, the process stands still until it is told to go on. */
export function standStill(line: Line, isPlace: (message: Travelling, place: number) => boolean) {
  const { opened: held, open: goOn } = createGate()
  const { opened: reached, open: reach } = createGate()
  let place = 0
  let isStill = false
  line.travel = (message) => {
    isStill ||= isPlace(message, place++)
    if (!isStill) return undefined
    reach()
    return held
  }
  return { reached, goOn }
}

/** The message at a place is lost. */
export function lose(line: Line, lostPlace: number): void {
  let place = 0
  line.travel = () => {
    if (place++ === lostPlace) throw new Error('The store is away')
  }
}
