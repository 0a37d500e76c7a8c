import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { read, root } from '../package/sources.js'

/** Data as JSON, where what fits stands on one line. */
function print(data: unknown, indent = ''): string {
  const line = JSON.stringify(data)
  if (typeof data !== 'object' || data === null || indent.length + line.length <= 150) return line
  const within = `${indent}  `
  const members = Array.isArray(data)
    ? data.map((member) => within + print(member, within))
    : Object.entries(data).map(([key, member]) => `${within}${JSON.stringify(key)}: ${print(member, within)}`)
  const [open, close] = Array.isArray(data) ? '[]' : '{}'
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}

/** What JSON would lose: a member of a list that is undefined, and numbers that are none. */
function toKept(this: unknown, _key: string, value: unknown): unknown {
  if (value === undefined && Array.isArray(this)) return '(undefined)'
  return typeof value === 'number' && !Number.isFinite(value) ? `(${value})` : value
}

/**
 * Asserts that data is what a file keeps, to the last word. Where it is meant to change, `KEEP=1` writes the file, and its difference is read.
 */
export function isKept(t: Pick<Test, 'equal'>, data: unknown, file: string): void {
  const text = `${print(JSON.parse(JSON.stringify(data, toKept)))}\n`
  if (process.env.KEEP === '1') writeFileSync(join(root, file), text)
  t.equal(text, read(file), `as in ${file}; KEEP=1 writes it anew`)
}
