import { ask } from './calls.js'
import type { Violations } from './load.js'

/** Without notes of the first start, which are of another user. */
export const countries = ['AUT', 'TCD', 'PRT', 'PER']

/** What was sent to be stored, and what of it was acknowledged. */
export class Ledger {
  readonly #acknowledged = new Set<string>()
  readonly #batches = new Map<string, number>()
  #texts = 0

  get acknowledged(): number {
    return this.#acknowledged.size
  }

  /** The text of a new record. */
  text(): string {
    return `note ${this.#texts++}`
  }

  /** The texts of the records of a new batch. */
  batch(size: number): string[] {
    const name = `batch ${this.#texts++}`
    this.#batches.set(name, size)
    return Array.from({ length: size }, (_, index) => `${name}: ${index}`)
  }

  acknowledge(texts: readonly string[]): void {
    for (const text of texts) this.#acknowledged.add(text)
  }

  /** Holds what is stored against what was acknowledged. */
  async check(url: string, when: string, violations: Violations): Promise<void> {
    const stored = new Map<string, number>()
    for (const country of countries)
      for (const text of await textsOf(`${url}/countries/${country}/notes`))
        stored.set(text, (stored.get(text) ?? 0) + 1)
    const lost = [...this.#acknowledged].filter((text) => !stored.has(text))
    const doubled = [...stored].filter(([, count]) => count > 1).map(([text]) => text)
    if (lost.length > 0) violations.add(`${lost.length} acknowledged records are lost ${when}: ${lost.slice(0, 3)}`)
    if (doubled.length > 0) violations.add(`${doubled.length} records are stored twice ${when}: ${doubled.slice(0, 3)}`)
    const sizes = new Map<string, number>()
    for (const text of stored.keys()) {
      const [name = ''] = text.split(':')
      sizes.set(name, (sizes.get(name) ?? 0) + 1)
    }
    for (const [name, size] of this.#batches) {
      const written = sizes.get(name) ?? 0
      if (written !== 0 && written !== size) violations.add(`${name} has ${written} of ${size} records ${when}`)
    }
  }
}

async function textsOf(url: string): Promise<string[]> {
  const texts: string[] = []
  for (let last = 0; ; ) {
    const { body } = await ask(`${url}?id[$gt]=${last}&$sort[id]=1&$limit=250&$select[]=id&$select[]=text`)
    const page: { id: number; text: string }[] = body.data
    if (page.length === 0) return texts
    texts.push(...page.map(({ text }) => text))
    last = page.at(-1)?.id ?? 0
  }
}
