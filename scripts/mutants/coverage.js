// Which test file executes which part of the library. A file is measured again when it has changed, or anything but tests.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesIn } from '../files.js'
import { isLibrary } from '../library.js'
import { forEach, root, runTest } from './sandbox.js'

const cache = join(root, 'node_modules/.cache/mutants')
const isTest = (name) => name.endsWith('.test.js') && !name.endsWith('.world.test.js')
const patience = 300_000

const programs = filesIn(join(root, 'dist'))
  .filter((name) => name.endsWith('.js'))
  .map((name) => relative(root, name))
  .sort()

export const testFiles = programs.filter(isTest)
export const libraryFiles = programs.filter(isLibrary)

/** The parts of a script that were executed, of the ranges that V8 counts: an inner one says more than the one around it. */
function executedParts(functions) {
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset))
  const executed = new Uint8Array(ranges[0].endOffset)
  for (const { startOffset, endOffset, count } of ranges) executed.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return executed
}

/** @returns by file of the library, one byte for each character: whether it was executed in one of the processes */
function readCoverage(reports, folder) {
  const base = pathToFileURL(`${folder}/`).href
  const executed = new Map()
  for (const report of readdirSync(reports)) {
    const { result } = JSON.parse(readFileSync(join(reports, report), 'utf8'))
    for (const { url, functions } of result.filter(({ url }) => url.startsWith(base))) {
      const file = url.slice(base.length)
      if (!libraryFiles.includes(file)) continue
      const before = executed.get(file)
      const parts = executedParts(functions)
      executed.set(file, before === undefined ? parts : parts.map((isExecuted, index) => isExecuted | before[index]))
    }
  }
  return executed
}

/** Ones and zeros as the offsets where each row of ones begins and ends. */
const shorten = (parts) => {
  const changes = [...parts.keys()].filter((index) => parts[index] !== (parts[index - 1] ?? 0))
  return changes.length % 2 === 0 ? changes : [...changes, parts.length]
}

async function measure(file, folder) {
  const reports = mkdtempSync(join(folder, 'coverage-'))
  const { isGood, took } = await runTest(folder, file, patience, { NODE_V8_COVERAGE: reports })
  const executed = Object.fromEntries([...readCoverage(reports, folder)].map(([name, parts]) => [name, shorten(parts)]))
  rmSync(reports, { recursive: true, force: true })
  return { file, isGood, took, executed }
}

/** @returns `{ file, isGood, took, executed }` of each test file: whether and how fast it passes, and what it executes */
export async function measureTests(sandboxes, files, print) {
  const hash = createHash('sha256').update(process.version)
  for (const file of programs.filter((name) => !isTest(name))) hash.update(file).update(readFileSync(join(root, file)))
  const shared = hash.digest()
  const measured = []
  await forEach(sandboxes, files, async (file, folder) => {
    const key = createHash('sha256')
      .update(shared)
      .update(readFileSync(join(folder, file)))
      .digest('hex')
    const store = join(cache, `${file}.json`)
    const earlier = load(store)
    if (earlier?.key === key && earlier.isGood) return void measured.push(earlier)
    const measurement = { key, ...(await measure(file, folder)) }
    mkdirSync(dirname(store), { recursive: true })
    writeFileSync(store, JSON.stringify(measurement))
    measured.push(measurement)
    print(measurement)
  })
  return measured
}

function load(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
