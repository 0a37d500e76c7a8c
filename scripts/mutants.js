// Plants single mutations in the compiled library, one at a time, and runs the tests that execute their place, until one
// fails. A mutation that no test notices is printed: an assertion is missing, or the code that was changed has no effect.
import { readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createGenerator } from '../dist/test/support/random.js'
import { libraryFiles, measureTests, testFiles } from './mutants/coverage.js'
import { mutationsOf, plant } from './mutants/mutations.js'
import { createRelation } from './mutants/relation.js'
import { createSandbox, forEach, root, runTest } from './mutants/sandbox.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    count: { type: 'string', default: '200' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    only: { type: 'string', multiple: true, default: [''] },
    tests: { type: 'string', multiple: true, default: [''] },
    most: { type: 'string', default: '40' }
  }
})
const sourceName = (file) => file.slice('dist/'.length).replace(/\.js$/, '.ts')
const isIn = (places) => (file) => places.some((place) => sourceName(file).startsWith(place))
// Tests that read the repository, pack it or run its tests: a copy is not the repository.
const isApart = (file) => /^dist\/test\/(package|scripts)\//.test(file)

const code = new Map(libraryFiles.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** The first mutants of all in an order that the seed decides. */
function draw() {
  const random = createGenerator(Number(values.seed))
  const all = [...code]
    .filter(([file]) => isIn(values.only)(file))
    .flatMap(([file, text]) => mutationsOf(text).map((mutation) => ({ file, ...mutation, order: random() })))
  const mutants = []
  for (const mutant of all.sort((a, b) => a.order - b.order)) {
    if (mutants.length === Number(values.count)) break
    const planted = plant(code.get(mutant.file), mutant)
    if (planted !== undefined) mutants.push({ ...mutant, planted })
  }
  return mutants
}

/** @returns the test that fails, if one does */
async function killerOf(mutant, tests, folder) {
  const place = join(folder, mutant.file)
  writeFileSync(place, mutant.planted)
  try {
    for (const test of tests) {
      const { isGood } = await runTest(folder, test.file, 15_000 + 5 * test.took)
      if (!isGood) return test
    }
    return undefined
  } finally {
    writeFileSync(place, code.get(mutant.file))
  }
}

function lineOf({ file, start }, folder) {
  const before = code.get(file).slice(0, start).split('\n')
  const map = new SourceMap(JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8')))
  return map.findEntry(before.length - 1, before.at(-1).length).originalLine + 1
}

/** The lines with a mutation, before and after. */
function shown({ file, start, end, text }) {
  const whole = code.get(file)
  const [from, to] = [whole.lastIndexOf('\n', start - 1) + 1, whole.indexOf('\n', end)]
  const [before, after] = [whole.slice(start, end), text].map((middle) =>
    `${whole.slice(from, start)}${middle}${whole.slice(end, to)}`.trim().replace(/\s+/g, ' ')
  )
  return `  - ${before}\n  + ${after}`
}

const started = performance.now()
const minutes = () => ((performance.now() - started) / 60_000).toFixed(1)
const sandboxes = Array.from({ length: Number(values.jobs) }, createSandbox)
const files = testFiles.filter((file) => !isApart(file) && isIn(values.tests)(file))
const tests = await measureTests(sandboxes, files, ({ file, took, isGood }) => {
  console.log(`${isGood ? 'Measured' : 'Left out, since it fails'}: ${sourceName(file)}, ${took} ms`)
})
const good = tests.filter(({ isGood }) => isGood)
const { related, remember } = createRelation(good, Number(values.most))
const mutants = draw()
console.log(
  `${mutants.length} mutants of seed ${values.seed}, ${good.length} test files, measured in ${minutes()} minutes`
)

let survived = 0
let done = 0
const progress = () =>
  `${done} mutants of seed ${values.seed}: ${done - survived} killed, ${survived} survive, ${minutes()} minutes`
await forEach(sandboxes, mutants, async (mutant, folder) => {
  const { ran, of } = related(mutant)
  const killer = await killerOf(mutant, ran, folder)
  done += 1
  if (killer !== undefined) remember(killer, mutant.file)
  else {
    survived += 1
    console.log(`${sourceName(mutant.file)}:${lineOf(mutant, folder)} survives\n${shown(mutant)}`)
    console.log(`  ${ran.length} of ${of} test files ran: ${ran.map(({ file }) => sourceName(file)).join(' ')}`)
  }
  if (done % 20 === 0 && done < mutants.length) console.log(progress())
})
console.log(progress())
