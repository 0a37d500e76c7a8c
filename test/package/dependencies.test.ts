import { existsSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { filesIn, importsOf, manifest, read, root } from './sources.js'

const isForeign = (name: string) => !name.startsWith('./') && !isBuiltin(name)
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name
const packagesIn = (files: string[]) => [...new Set(files.flatMap(importsOf).filter(isForeign).map(packageOf))]

const dependencies = Object.keys(manifest.dependencies)
const declared = [...dependencies, ...Object.keys(manifest.peerDependencies)]
const imported = packagesIn(['dist/index.js', ...filesIn(['dist/lib'], '.js')])
const named = packagesIn(['dist/index.d.ts', ...filesIn(['dist/lib', 'dist/types'], '.d.ts')])

t.test('what the code and its declarations import is declared', async (t) => {
  const undeclared = [...imported, ...named].filter((name) => !declared.includes(name))
  t.same(undeclared, [])
})

t.test('every dependency is imported', async (t) => {
  const idle = dependencies.filter((name) => !imported.includes(name))
  t.same(idle, [])
})

t.test('CONTRIBUTING.md names every dependency', async (t) => {
  const text = existsSync(join(root, 'CONTRIBUTING.md')) ? read('CONTRIBUTING.md') : ''
  const unnamed = dependencies.filter((name) => !text.includes(`\`${name}\``))
  t.same(unnamed, [])
})
