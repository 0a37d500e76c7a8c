import { contract } from './client-contract.js'

/** Which rows of the contract an adapter keeps on a server. */
export interface Column {
  readonly adapter: string
  readonly server: string
  readonly passed: ReadonlyMap<string, boolean>
}

/** The table of adapters and servers: a row for each of the contract. */
export function print(columns: readonly Column[]): string {
  const width = Math.max(...contract.map(({ name }) => name.length))
  const head = columns.map(({ adapter, server }, index) => `${String(index + 1).padStart(2)}  ${adapter} on ${server}`)
  const numbers = columns.map((_, index) => String(index + 1).padStart(3)).join('')
  const rows = contract.map(
    ({ name }) => name.padEnd(width) + columns.map(({ passed }) => (passed.get(name) ? '  ✓' : '  ✗')).join('')
  )
  return [...head, '', ' '.repeat(width) + numbers, ...rows].join('\n')
}
