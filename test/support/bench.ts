import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'

const script = fileURLToPath(new URL('../../bench/main.js', import.meta.url))
const [major = ''] = process.versions.node.split('.')
const few = ['--node', major, '--starts', '1', '--requests', '40', '--warmup', '20']

/** Runs the benchmark with few requests. */
export const bench = (args: string[], env = {}) =>
  promisify(execFile)(process.execPath, [script, ...few, ...args], { env: { ...process.env, ...env } })

/** The cells of the table of what is to be reached, by the names of the rows. */
export const rowsOf = (page: string) =>
  new Map([...page.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)].map(([, id, cells]) => [id, cells?.split(' | ') ?? []]))

/** Checks that it measures the rows that `--only` names, and says what it has counted. */
export async function checkRows(t: Test, only: string, ids: string[]): Promise<void> {
  const { stdout } = await bench(['--only', only, '--count', 'cpu'])
  const rows = rowsOf(stdout)
  t.same([...rows.keys()], ids)
  for (const [, now, wanted, measured] of rows.values()) {
    t.match(now, /^\d/)
    t.match(wanted, /^[≥≤] \d/)
    t.match(measured, /^-?\d+(\.\d\d)? (✓|✗|µs)$/)
  }
  t.match(stdout, 'CPU time', 'it says what was counted')
  t.match(stdout, `Node ${process.versions.node}`)
  t.match(stdout, /fastify \d+\.\d+\.\d+/)
}
