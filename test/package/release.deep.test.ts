import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { run } from './pack.js'
import { filesIn, read, root } from './sources.js'

const manifest = JSON.parse(read('package.json')) as Record<string, unknown>

t.test('what a release needs is listed with ticks, and it ends with 1 where something is missing', async (t) => {
  const { code, stdout } = await run(root, 'env', 'TAG=v9.9.9', 'node', 'scripts/release-check.js')
  t.equal(code, 1)
  const lines = stdout.trim().split('\n')
  for (const words of [
    'all packages have one version',
    'the examples ask for this version',
    'the lock file is of this version',
    'npm has nothing to correct',
    'it is built',
    'all doors are in the package'
  ])
    t.ok(lines.includes(`✓ ${words}`), words)
  t.match(lines, [/./])
  t.ok(lines.includes(`✗ the tag is that of the version: tag v${manifest.version}`))
  const missing = lines.filter((line) => line.startsWith('✗ '))
  t.equal(lines.at(-1), `${missing.length} of ${lines.length - 2} are missing`)
})

const isNamed = manifest.repository !== undefined
t.test(
  'the package names its repository',
  { skip: !isNamed && 'the maintainers fill in `repository`, `homepage` and `bugs` in package.json' },
  async (t) => {
    t.match(manifest, { repository: { url: /^git\+https:/ }, homepage: /^https:/, bugs: { url: /^https:/ } })
  }
)

const workflows = filesIn(['.github/workflows'], '.yml')

t.test('workflows use actions by the commit, with its version beside, and only what is there', async (t) => {
  const uses = workflows.flatMap((file) => [...read(file).matchAll(/uses: (.+)/g)].map(([, action = '']) => action))
  t.not(uses.length, 0)
  for (const action of uses) t.match(action, /^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  for (const file of workflows) {
    for (const [name] of read(file).matchAll(/(?:test|scripts)\/[\w/.-]+\.(?:ts|js)/g))
      t.ok(existsSync(join(root, name)), name)
    for (const [, name = ''] of read(file).matchAll(/npm run ([\w:]+)/g))
      t.ok(name in (manifest.scripts as object), name)
    t.match(read(file), /^permissions:\n {2}contents: read$/m, `${file} may write nothing but what it says`)
  }
  t.match(read('.github/workflows/ci.yml'), /node-version: 26\n.*\n {6}- run: \.ci\/run\n/)
  t.match(read('scripts/matrix.js'), "['20.19.0', '22', '24', '26']", 'the unit tests run on the others')
})

/** What a bundler makes of a program that imports files of the package, with the field `sideEffects` and what it may leave out. */
async function bundle(contents: string) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    write: false
  })
  return outputFiles[0]?.text ?? ''
}

t.test('bundlers leave out what is not used, and keep what works by being loaded', async (t) => {
  const door = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
  t.equal(await bundle(`import '${door('lib/client/index.js')}'`), '', 'a client that nobody uses')
  const withError = await bundle(`export { NotFound } from '${door('lib/client/index.js')}'`)
  t.match(withError, /NotFound/)
  t.notMatch(withError, /reAuthenticate|superagent/, 'an error alone')
  t.match(await bundle(`export { default } from '${door('index.js')}'`), /executionAsyncResource/, 'the server')
  t.same(manifest.sideEffects, ['./dist/lib/compat/next-tick.js'])
})
