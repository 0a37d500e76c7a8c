// Fails when the last test run left a function of the library uncalled. The coverage report can't tell: it counts named
// functions only, so that a callback on a line that ran reads as covered.
import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

const root = new URL('../', import.meta.url)
const coverage = new URL('.tap/coverage/', root)
const read = (url) => readFileSync(new URL(url), 'utf8')

const calls = new Map()
for (const file of readdirSync(coverage)) {
  const { result } = JSON.parse(read(new URL(file, coverage)))
  for (const { url, functions } of result) {
    for (const { ranges } of functions) {
      const { startOffset, endOffset, count } = ranges[0]
      const key = JSON.stringify([url, startOffset, endOffset])
      calls.set(key, (calls.get(key) ?? 0) + count)
    }
  }
}

function sourceOf(url, offset) {
  const lines = read(url).slice(0, offset).split('\n')
  const map = new SourceMap(JSON.parse(read(`${url}.map`)))
  const { originalSource, originalLine, originalColumn } = map.findEntry(lines.length - 1, lines.at(-1).length)
  return `${new URL(originalSource, url).href.slice(root.href.length)}:${originalLine + 1}:${originalColumn + 1}`
}

const uncalled = [...calls].filter(([, count]) => count === 0).map(([key]) => sourceOf(...JSON.parse(key)))
for (const place of uncalled) console.error(`No test calls the function at ${place}`)
if (calls.size === 0) console.error('The last test run measured no coverage of the library')
if (calls.size === 0 || uncalled.length > 0) process.exitCode = 1
