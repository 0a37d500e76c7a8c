import t from 'tap'

interface Measured {
  readonly file: string
  readonly took: number
  readonly executed: Readonly<Record<string, readonly number[]>>
}
interface Relation {
  related(mutant: { file: string; start: number }): { ran: Measured[]; of: number }
  remember(test: Measured, file: string): void
}
const { createRelation }: { createRelation(tests: Measured[], most: number): Relation } = await import(
  new URL('../../../scripts/mutants/relation.js', import.meta.url).href
)

const file = 'dist/lib/core/errors.js'
const measured = (name: string, executed?: readonly number[], took = 1000): Measured => ({
  file: `dist/test/${name}.test.js`,
  took,
  executed: executed === undefined ? {} : { [file]: executed }
})
const names = (tests: Measured[]) => tests.map((test) => test.file.slice('dist/test/'.length, -'.test.js'.length))

t.test('the tests of a mutant: those that execute its place', async (t) => {
  const tests = [measured('server/a', [0, 10]), measured('server/b', [0, 5, 7, 10]), measured('server/c')]
  const { related } = createRelation(tests, 9)
  const at = (start: number) => names(related({ file, start }).ran)
  t.same(at(0), ['server/a', 'server/b'])
  t.same(at(6), ['server/a'])
  t.same(at(7), ['server/a', 'server/b'])
  t.same(at(10), [])
})

t.test('first what few others execute, what is named after the file, and what is fast', async (t) => {
  const order = (...tests: Measured[]) => names(createRelation(tests, 9).related({ file, start: 0 }).ran)
  t.same(order(measured('server/a', [0, 10]), measured('server/b', [0, 20])), ['server/b', 'server/a'])
  t.same(order(measured('server/a', [0, 10]), measured('core/b', [0, 10])), ['core/b', 'server/a'])
  t.same(order(measured('server/a', [0, 10]), measured('server/error-b', [0, 10])), ['server/error-b', 'server/a'])
  t.same(order(measured('server/a', [0, 10]), measured('server/b', [0, 10], 999)), ['server/b', 'server/a'])
})

t.test('first of all what has killed others of the file, and no more tests than are asked for', async (t) => {
  const tests = [measured('server/a', [0, 10], 1), measured('server/b', [0, 10]), measured('core/c', [0, 10])]
  const { related, remember } = createRelation(tests, 2)
  t.same([related({ file, start: 0 }).of, names(related({ file, start: 0 }).ran)], [3, ['server/a', 'core/c']])
  remember(tests[1] as Measured, file)
  t.same(names(related({ file, start: 0 }).ran), ['server/b', 'core/c'])
})

t.test('of equal tests that one first which has killed others of the folder', async (t) => {
  const { related, remember } = createRelation([measured('server/a', [0, 10]), measured('server/b', [0, 10])], 9)
  remember(measured('server/b'), 'dist/lib/core/events.js')
  t.same(names(related({ file, start: 0 }).ran), ['server/b', 'server/a'])
})
