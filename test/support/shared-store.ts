import type { Store } from '../../index.js'
import { memoryStore } from '../../index.js'

/** Takes some turns of the event loop. */
export async function travel(random: () => number): Promise<void> {
  for (let turns = Math.floor(random() * 5); turns > 0; turns--) await new Promise(setImmediate)
}

/** A store that several processes share: each question travels there and back, where a share of them is lost. */
export function createSharedStore(random: () => number, lost = 0): Required<Store> {
  const inner = memoryStore() as Required<Store>
  const ask = async <T>(question: () => T): Promise<Awaited<T>> => {
    await travel(random)
    if (random() < lost) throw new Error('The store is away')
    const answer = await question()
    await travel(random)
    if (random() < lost) throw new Error('The answer is lost')
    return answer
  }
  return {
    get: (key) => ask(() => inner.get(key)),
    set: (key, value, seconds) => ask(() => inner.set(key, value, seconds)),
    add: (key, value, seconds) => ask(() => inner.add(key, value, seconds)),
    delete: (key) => ask(() => inner.delete(key))
  }
}
