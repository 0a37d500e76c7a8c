import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chooseCounter } from './counters/counter.js'
import { measure } from './measure.js'
import { findNodes } from './nodes.js'
import { readOptions } from './options.js'
import { toPage } from './page.js'
import { type Result, toReach } from './report.js'
import { type Key, others, rowsNamed } from './rows.js'

const options = readOptions(process.argv.slice(2))
const rows = rowsNamed(options.only)
const counter = await chooseCounter(options.count)
const keys = [...new Set<Key>([...rows.flatMap(({ needs }) => needs), ...(options.only === undefined ? others : [])])]
const out = options.out ?? (options.only === undefined ? pageFile() : undefined)

const nodes = await findNodes(options.node)
const measureOne = async ({ program, version }: (typeof nodes)[number]): Promise<Result> => {
  console.error(`Node ${version}, by ${counter.name}`)
  return { version, ...(await measure(program, counter, keys, options)) }
}
// A simulated processor counts the same whatever else runs.
const results: Result[] = counter.isSlow ? await Promise.all(nodes.map(measureOne)) : []
if (!counter.isSlow) for (const node of nodes) results.push(await measureOne(node))
const page = toPage(rows, results, counter, options)
if (out !== undefined) writeFileSync(out, page)
// The aims are for whoever works on the library, not for readers of the page.
console.log(`${page}\n## Aims\n\n${toReach(rows, results, counter)}`)

function pageFile(): string {
  return fileURLToPath(new URL('../../docs/benchmarks-counted.md', import.meta.url))
}
