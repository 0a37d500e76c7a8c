import { createRequire } from 'node:module'
import { availableParallelism, cpus } from 'node:os'
import type { Counter } from './counters/counter.js'
import type { Measured } from './measure.js'
import { type Key, type Row, servers } from './rows.js'

/** What was measured on one version of Node. */
export interface Result extends Measured {
  readonly version: string
}

/** The table of what is to be reached: now, wanted, measured. */
export function toReach(rows: readonly Row[], results: readonly Result[], counter: Counter): string {
  const head = ['row', 'work', 'now', 'wanted', ...results.map(({ version }) => `measured, Node ${version}`)]
  const lines = rows.map((row) => [
    `\`${row.id}\``,
    row.text,
    row.now,
    `${row.bound} ${row.wanted}`,
    ...results.map((result) => measured(row, result, counter))
  ])
  return toTable(head, lines)
}

/** What was measured of each row, for readers. */
export function toComparison(rows: readonly Row[], results: readonly Result[]): string {
  const head = ['work', ...results.map(({ version }) => `Node ${version}`)]
  return toTable(
    head,
    rows.map((row) => [row.text, ...results.map((result) => valueText(row, result))])
  )
}

function valueText(row: Row, { counts }: Measured): string {
  const value = row.value((key) => counts.get(key) ?? Number.NaN)
  if (Number.isNaN(value)) return 'does not start'
  return value < 10 ? value.toFixed(2) : String(Math.round(value))
}

function measured(row: Row, result: Result, counter: Counter): string {
  const value = row.value((key) => result.counts.get(key) ?? Number.NaN)
  const text = valueText(row, result)
  if (Number.isNaN(value)) return text
  if (row.isAbsolute && counter.name === 'cpu') return `${text} ${counter.unit}`
  return `${text} ${(row.bound === '≥' ? value >= row.wanted : value <= row.wanted) ? '✓' : '✗'}`
}

/** What each server has used for each work, then everything else that was counted. */
export function countsOf({ counts }: Measured): string {
  const works = ['get', 'find', 'flat', 'create', 'page-of-10', 'page-of-1000']
  const cell = (key: Key) => {
    const value = counts.get(key)
    return value === undefined ? '' : String(Math.round(value))
  }
  const lines = works.map((work) => [work, ...servers.map((server) => cell(`${server} ${work}`))])
  const shown = new Set(works.flatMap((work) => servers.map((server): Key => `${server} ${work}`)))
  const rest = [...counts.keys()].filter((key) => !shown.has(key) && !key.endsWith(' heap'))
  return [
    toTable(
      ['work', ...servers],
      lines.filter((cells) => cells.some((text, index) => index > 0 && text !== ''))
    ),
    toTable(
      ['subject and work', 'count'],
      rest.map((key) => [key, String(Math.round((counts.get(key) as number) * 10) / 10)])
    )
  ]
    .filter((table) => table !== '')
    .join('\n\n')
}

function toTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  if (lines.length === 0) return ''
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The machine and the versions. */
export function environment(): string {
  const require = createRequire(import.meta.url)
  const names = [
    'fastify-services',
    'fastify',
    'qs',
    '@fastify/jwt',
    '@feathersjs/koa',
    '@feathersjs/express',
    '@feathersjs/rest-client'
  ]
  const versions = names.map((name) => `${name} ${require(`${name}/package.json`).version}`)
  return `${availableParallelism()} × ${cpus()[0]?.model}; ${versions.join(', ')}`
}
