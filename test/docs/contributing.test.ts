import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { filesIn, manifest, read, root } from '../package/sources.js'

const guide = ['CONTRIBUTING.md', 'test/README.md', 'bench/README.md'].map(read).join('\n')

t.test('the guide for contributors says what each folder of the library holds, and of no other', async (t) => {
  const rows = [...guide.matchAll(/^\| `((?:lib|types)\/[^`]*)` \|/gm)].map(([, folder]) => folder)
  const folders = new Set(filesIn(['lib', 'types'], '.ts').map((file) => `${dirname(file)}/`))
  t.same(rows.sort(), [...folders].sort())
})

t.test('the files that such a row names are in that folder', async (t) => {
  for (const [, folder = '', text = ''] of guide.matchAll(/^\| `((?:lib|types)\/[^`]*)` \| (.*) \|$/gm))
    for (const [, file = ''] of text.matchAll(/`([\w-]+\.ts)`/g))
      t.ok(existsSync(join(root, folder, file)), `${folder}${file}`)
})

t.test('the guide for contributors gives each runtime dependency a reason', async (t) => {
  for (const name of Object.keys(manifest.dependencies))
    t.match(guide, new RegExp(`^\\| \`${name}\` \\| \\S`, 'm'), name)
})

t.test('it names every folder of tests, and no other', async (t) => {
  const named = [...guide.matchAll(/^\| `test\/([\w-]+)\/` \|/gm)].map(([, folder]) => folder)
  const folders = readdirSync(join(root, 'test'), { withFileTypes: true })
  t.same(
    named.sort(),
    folders
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  )
})

t.test('the files that its text names are there', async (t) => {
  for (const [, file = ''] of guide.matchAll(
    /`((?:bench|docs|examples|fuzz|lib|scripts|soak|test|types)\/[\w/.-]+\w)`/g
  ))
    t.ok(existsSync(join(root, file)), file)
})

t.test('the scripts that its text names are there', async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const [, name = ''] of guide.matchAll(/\bnpm run ([\w:]+)/g)) t.ok(name in scripts, name)
})
