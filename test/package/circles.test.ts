import t from 'tap'
import { importsOf, sources } from './sources.js'

const targetsOf = (file: string) =>
  importsOf(file)
    .filter((name) => name.startsWith('./'))
    .map((name) => name.slice(2).replace(/\.js$/, '.ts'))
const targets = new Map(sources.map((file) => [file, targetsOf(file)]))

/** The way from a file back to itself, `undefined` where there is none. */
function circleOf(file: string): string[] | undefined {
  const seen = new Set<string>()
  const search = (way: string[]): string[] | undefined => {
    for (const target of targets.get(way.at(-1) as string) ?? []) {
      if (target === file) return [...way, target]
      if (seen.has(target)) continue
      seen.add(target)
      const found = search([...way, target])
      if (found !== undefined) return found
    }
    return undefined
  }
  return search([file])
}

t.test('no file imports itself through others, not even a type', async (t) => {
  t.ok(targets.get('index.ts')?.includes('lib/server/plugin.ts'), 'the imports were read')
  t.same(
    sources.flatMap((file) => circleOf(file) ?? []),
    []
  )
})
