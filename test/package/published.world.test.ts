import { readFile, stat } from 'node:fs/promises'
import { publint } from 'publint'
import t from 'tap'
import { bin, pack, run, temporaryFolder } from './pack.js'
import { manifest, root } from './sources.js'

const doors = Object.keys(manifest.exports).length

t.test('the package as it is published', async (t) => {
  const tarball = await pack(await temporaryFolder(t))

  // Bundlers that do not know conditions of `imports`, such as older ones of React Native, know the field `browser`.
  await t.test('publint suggests nothing but conditions in the place of `browser`', async (t) => {
    const { buffer } = new Uint8Array(await readFile(tarball))
    const { messages, pkg } = await publint({ pack: { tarball: buffer } })
    t.equal(pkg.name, 'fastify-services')
    t.same(
      messages.map(({ code, type }) => `${type}: ${code}`),
      ['suggestion: USE_EXPORTS_OR_IMPORTS_BROWSER']
    )
  })

  // What can't be mended in a package of ES modules: `require` finds one, which TypeScript knows of from `node20` on.
  await t.test('attw finds the types right, by every resolver of modules', async (t) => {
    const options = ['--ignore-rules', 'cjs-resolves-to-esm', '--format=ascii', '--no-emoji']
    const { code, stdout } = await run(root, bin('attw'), tarball, ...options)
    t.equal(code, 0, stdout)
    for (const resolver of ['node10', 'node16 (from ESM)', 'bundler'])
      t.equal(stdout.split(`${resolver}: OK`).length - 1, doors, `${resolver}: all doors and package.json`)
  })

  await t.test('it holds the library alone', async (t) => {
    const { stdout } = await run(root, 'tar', '-tzf', tarball)
    const place = /^package\/(dist\/index\.|dist\/lib\/|dist\/types\/|[^/]+$)/
    const places = stdout
      .trim()
      .split('\n')
      .map((file) => place.exec(file)?.[1] ?? file)
    t.notMatch(stdout, /\.map$/m, 'no source maps')
    t.ok((await stat(tarball)).size < 520_000, 'a tarball of at most 520 kB')
    const expected = ['AGENTS.md', 'LICENSE', 'README.md', 'dist/index.', 'dist/lib/', 'dist/types/', 'package.json']
    t.same([...new Set(places)].sort(), expected)
    const ofExplorer = stdout.match(/(?<=dist\/lib\/explorer\/).+(json|\.c?js|\/.*)$/gm) ?? []
    t.same(
      ofExplorer.sort(),
      ['built-page.cjs', 'index.js', 'options.js', 'page.js', 'page.json', 'plugin.js'],
      'its page is built'
    )
  })
})
