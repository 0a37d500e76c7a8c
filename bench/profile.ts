interface Named {
  readonly start: number
  readonly end: number
  readonly name: string
}

/** The cost of each function of a process, without those that it calls, and its callers. */
export class Profile {
  readonly costs = new Map<string, number>()
  /** By callee and caller, what the calls cost with all that they call. */
  readonly callers = new Map<string, Map<string, number>>()

  /**
   * @param text a file of callgrind, with `--dump-instr=yes --compress-pos=no --compress-strings=no`
   * @param names lines of address, size and name of compiled code: the later one of an address holds
   */
  constructor(text: string, names: string) {
    const compiled = readNames(names)
    let name = ''
    let callee = ''
    let target: string | undefined
    for (const line of text.split('\n')) {
      if (line.startsWith('fn=')) name = line.slice(3)
      else if (line.startsWith('cfn=')) callee = line.slice(4)
      else if (line.startsWith('calls=')) target = nameAt(compiled, Number(line.split(' ')[1])) ?? callee
      else if (line.startsWith('0x')) {
        const [address, , cost] = line.split(' ')
        const caller = nameAt(compiled, Number(address)) ?? name
        // The line after a call is the cost of what was called.
        if (target === undefined) add(this.costs, caller, Number(cost))
        else {
          const callers = this.callers.get(target) ?? new Map()
          this.callers.set(target, callers)
          add(callers, caller, Number(cost))
        }
        target = undefined
      }
    }
  }
}

function add(costs: Map<string, number>, name: string, cost: number): void {
  costs.set(name, (costs.get(name) ?? 0) + cost)
}

function readNames(text: string): Named[] {
  const byStart = new Map<number, Named>()
  for (const line of text.split('\n')) {
    const [, address = '', size = '', name = ''] = /^(\w+) (\w+) (.*)$/.exec(line) ?? []
    const start = Number.parseInt(address, 16)
    if (start > 0) byStart.set(start, { start, end: start + Number.parseInt(size, 16), name })
  }
  return [...byStart.values()].toSorted((first, second) => first.start - second.start)
}

function nameAt(sorted: readonly Named[], address: number): string | undefined {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as Named).start <= address) low = middle + 1
    else high = middle
  }
  const found = sorted[low - 1]
  return found !== undefined && address < found.end ? found.name : undefined
}

/**
 * The functions that cost one side most beyond the other, in instructions of a request: the
 * difference, the whole, the name, and who calls it.
 */
export function toList(ours: Profile, byHand: Profile, requests: number): string {
  const rows = [...ours.costs].map(([name, cost]) => ({ name, cost, more: cost - (byHand.costs.get(name) ?? 0) }))
  const tidy = (cost: number) => String(Math.round(cost / requests)).padStart(6)
  return rows
    .toSorted((first, second) => second.more - first.more)
    .slice(0, 60)
    .flatMap(({ name, cost, more }) => [
      `${tidy(more)} ${tidy(cost)} ${name}`,
      ...[...(ours.callers.get(name) ?? [])]
        .filter(([, cost]) => cost / requests > 200)
        .toSorted(([, first], [, second]) => second - first)
        .map(([caller, cost]) => `${' '.repeat(14)}<- ${tidy(cost)} ${caller}`)
    ])
    .join('\n')
}
