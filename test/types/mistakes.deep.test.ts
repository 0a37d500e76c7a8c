import t from 'tap'
import { read } from '../package/sources.js'
import { type Compiler, compile, compilers, createProject } from '../support/compilers.js'

t.setTimeout(300_000)

const file = 'test/types/mistakes.ts'
const directive = /^ *\/\/ @ts-expect-error: (.+)$/
const lines = read(file).split('\n')
const mistakes = lines.flatMap((line, index) => {
  const told = directive.exec(line)?.[1]
  const title = lines.slice(0, index).findLast((line) => /^\/\/ \d+\. /.test(line)) ?? ''
  return told === undefined ? [] : [{ title: title.slice(3), line: index + 2, told }]
})

/** `TypeScript 7 | TypeScript 5.9`; an `…` stands for anything. */
function patternOf(told: string, compiler: Compiler): RegExp {
  const [newest = '', older = newest] = told.split(' | or ')
  const text = compiler === 'typescript' ? newest : older
  return new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`
  )
}

t.test('there are 24 mistakes, each with what it says', async (t) => {
  t.equal(mistakes.length, 24)
  t.same(
    mistakes.map(({ title }) => Number.parseInt(title, 10)),
    [...mistakes.keys()].map((index) => index + 1)
  )
})

// A copy without the directives tells what they keep back.
const folder = await createProject('told', lines.map((line) => line.replace('@ts-expect-error', '')).join('\n'))

for (const compiler of compilers)
  t.test(`${compiler}: the first line names what is misspelt or missing`, async (t) => {
    const { stdout } = await compile(compiler, folder)
    const errors = [...stdout.matchAll(/told\.ts\((\d+),\d+\): error TS\d+: (.+)$/gm)]
    for (const { title, line, told } of mistakes) {
      const said = errors.find(([, number]) => Number(number) === line)?.[2] ?? 'nothing'
      t.match(said, patternOf(told, compiler), title)
    }
    const elsewhere = errors.filter(([, number]) => !mistakes.some(({ line }) => line === Number(number)))
    t.same(elsewhere, [], 'what stands above each mistake is right')
  })
