// Which tests are most likely to notice a mutant, of all that execute its place.
import { dirname } from 'node:path'

/** The parts of a file that a test executes, as pairs of offsets. */
function partsOf({ executed }, file) {
  const offsets = executed[file] ?? []
  return offsets.flatMap((start, index) => (index % 2 === 0 ? [[start, offsets[index + 1]]] : []))
}

/** How much of a file each test executes, where a character counts the less the more tests execute it. */
function sharesOf(tests, file) {
  const parts = new Map(tests.map((test) => [test, partsOf(test, file)]))
  const counts = new Float64Array(Math.max(0, ...[...parts.values()].flat(2)))
  for (const [start, end] of [...parts.values()].flat())
    for (let place = start; place < end; place++) counts[place] += 1
  const weigh = ([start, end]) => counts.subarray(start, end).reduce((sum, count) => sum + 1 / count, 0)
  return new Map([...parts].map(([test, ranges]) => [test, ranges.reduce((sum, part) => sum + weigh(part), 0)]))
}

const wordsOf = (file) => file.replace(/^.*\//, '').replace(/\..*$/, '').split('-')
const folderOf = (file) => file.split('/')[2]

/** Tests are named after what they test: ten times as likely for its folder, and for each word of its name. */
function likeness(test, file) {
  const words = wordsOf(test).filter((word) =>
    wordsOf(file).some((other) => word.startsWith(other) || other.startsWith(word))
  )
  return 10 ** (words.length + Number(folderOf(test) === folderOf(file)))
}

export function createRelation(tests, most) {
  const shares = new Map()
  const kills = new Map()
  const killsOf = (test, place) => kills.get(`${test.file} ${place}`) ?? 0
  return {
    /**
     * The tests that execute the place of a mutant: those first that have killed others of its file, then those that are likely,
     * have killed others of its folder and are fast. All tests execute what runs when a module is loaded, so that only the
     * likeliest are taken.
     */
    related({ file, start }) {
      if (!shares.has(file)) shares.set(file, sharesOf(tests, file))
      const all = tests
        .filter((test) => partsOf(test, file).some(([from, to]) => from <= start && start < to))
        .map((test) => ({
          test,
          kills: killsOf(test, file),
          score: shares.get(file).get(test) * likeness(test.file, file) * (1 + killsOf(test, dirname(file)))
        }))
      const some = all.sort((a, b) => b.kills - a.kills || b.score - a.score).slice(0, most)
      some.sort((a, b) => b.kills - a.kills || b.score / b.test.took - a.score / a.test.took)
      return { ran: some.map(({ test }) => test), of: all.length }
    },
    remember(test, file) {
      for (const place of [file, dirname(file)]) kills.set(`${test.file} ${place}`, killsOf(test, place) + 1)
    }
  }
}
