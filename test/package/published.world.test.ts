import { mkdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { publint } from 'publint'
import t from 'tap'
import { createConsumer } from './consumers.js'
import { bin, pack, run, temporaryFolder } from './pack.js'
import { manifest, root } from './sources.js'

/** The start of a program that imports all doors. */
const imports = (places: string[]) => `import { createRequire } from 'node:module'
const doors = await Promise.all(${JSON.stringify(places)}.map((place) => import(place)))`

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

  const folder = await createConsumer(t, tarball, 'esm')

  await t.test('it is small, and holds the library alone', async (t) => {
    const { stdout } = await run(root, 'tar', '-tzf', tarball)
    const files = stdout.trim().replaceAll('package/', '').split('\n')
    // Tools for agents, batches, cursors, `may` and related records are 30 kB of it.
    t.ok((await stat(tarball)).size <= 399_000, 'a tarball of at most 399 kB')
    t.ok(files.length <= 70, `${files.length} files`)
    const others = files.filter((file) => !/^dist\/((lib|types)\/.*|index|types)(\.js|\.d\.ts)$/.test(file))
    t.same(others.sort(), [
      'AGENTS.md',
      'LICENSE',
      'README.md',
      'dist/lib/explorer/built-page.cjs',
      'dist/lib/explorer/page.json',
      'dist/lib/server/request/packages.cjs',
      'package.json'
    ])
  })

  await t.test('its doors export what those of the repository do, and share their classes', async (t) => {
    await mkdir(join(folder, 'node_modules', '@modelcontextprotocol'), { recursive: true })
    for (const peer of ['drizzle-orm', 'kysely', '@modelcontextprotocol/server'])
      await symlink(join(root, 'node_modules', peer), join(folder, 'node_modules', peer), 'dir')
    const names = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'))
    const places = names.map((name) => name.replace('.', 'fastify-services'))
    const program = `${imports(places)}
console.log(JSON.stringify(doors.map((door) => Object.keys(door).sort())))
const [server, client] = [doors[0], doors[${names.indexOf('./client')}]]
console.log(server.NotFound === client.NotFound, createRequire(import.meta.url)('fastify-services').NotFound === server.NotFound)`
    const { stdout, stderr } = await run(folder, process.execPath, '--input-type=module', '-e', program)
    const [exported = '', shared] = stdout.trim().split('\n')
    t.equal(shared, 'true true', stderr)
    const expected = await Promise.all(places.map(async (place) => Object.keys(await import(place)).sort()))
    t.same(JSON.parse(exported), expected)
  })

  await t.test('its import loads no package that the first requests may not need', async (t) => {
    const program = `import { createRequire } from 'node:module'
import 'fastify-services'
const { cache } = createRequire(import.meta.url)
console.log(Object.keys(cache).filter((file) => /node_modules.(accepts|mime-db|qs|ajv-formats)\\W/.test(file)))`
    const { stdout, stderr } = await run(folder, process.execPath, '--input-type=module', '-e', program)
    t.equal(stdout.trim(), '[]', stderr)
  })

  await t.test('the stack of an error names files and functions as they are written', async (t) => {
    const program = `import Fastify from 'fastify'
import services from 'fastify-services'
const app = Fastify()
await app.register(services)
app.service('notes', { async get() { throw new Error('here') } })
await app.service('notes').get(1).catch(({ stack }) => console.log(stack))
`
    const { stdout, stderr } = await run(folder, process.execPath, '--input-type=module', '-e', program)
    t.match(
      stdout,
      /at (async )?\w+(\.\w+)? \(file:.*\/fastify-services\/dist\/(index|lib\/core(\/\w+)?)\.js:\d+:\d+\)/,
      stderr
    )
  })
})
