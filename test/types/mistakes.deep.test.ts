import t from 'tap'
import { read } from '../package/sources.js'
import { type Compiler, compile, compilers, createProject } from '../support/compilers.js'

t.setTimeout(300_000)

const directive = /^ *\/\/ @ts-expect-error: (.+)$/

function readMistakes(file: string) {
  const lines = read(`test/types/${file}.ts`).split('\n')
  const mistakes = lines.flatMap((line, index) => {
    const told = directive.exec(line)?.[1]
    const title = lines.slice(0, index).findLast((line) => /^\/\/ \d+\. /.test(line)) ?? ''
    return told === undefined ? [] : [{ title: title.slice(3), line: index + 2, told }]
  })
  // A copy without the directives tells what they keep back.
  return { file, mistakes, text: lines.map((line) => line.replace('@ts-expect-error', '')).join('\n') }
}

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

for (const [{ file, mistakes, text }, count] of [
  [readMistakes('mistakes'), 24],
  [readMistakes('mistakes-resource'), 10],
  [readMistakes('mistakes-tables'), 6]
] as const) {
  t.test(`${file}: there are ${count}, each with what it says`, async (t) => {
    t.equal(mistakes.length, count)
    t.same(
      mistakes.map(({ title }) => Number.parseInt(title, 10)),
      [...mistakes.keys()].map((index) => index + 1)
    )
  })

  const folder = await createProject(`told-${file}`, text)
  for (const compiler of compilers)
    t.test(`${compiler}, ${file}: the first line names what is misspelt or missing`, async (t) => {
      const { stdout } = await compile(compiler, folder)
      const errors = [...stdout.matchAll(/told-[a-z-]+\.ts\((\d+),\d+\): error TS\d+: (.+)((?:\n .+)*)$/gm)]
      for (const { title, line, told } of mistakes) {
        const [, , said = 'nothing', more = ''] = errors.find(([, number]) => Number(number) === line) ?? []
        t.match(said, patternOf(told, compiler), title)
        if (file === 'mistakes') continue
        t.ok(`${said}${more}`.split('\n').length <= 2, `${title}: two lines`)
        t.notMatch(`${said}${more}`, /Tidy|Without|ResourceMethods|StoresRecord|PgTable/, `${title}: no names of ours`)
      }
      const elsewhere = errors.filter(([, number]) => !mistakes.some(({ line }) => line === Number(number)))
      t.same(elsewhere, [], 'what stands above each mistake is right')
    })
}
