import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import Fastify from 'fastify'
import services, * as server from 'fastify-services'
import * as door from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t from 'tap'
import { compile } from '../support/compilers.js'
import { bin, pack, run, temporaryFolder } from './pack.js'
import { read, root } from './sources.js'

type Client = typeof door
const name = 'fastify-services-client'
const folder = await temporaryFolder(t)
const tarball = await pack(await temporaryFolder(t), join(root, 'client'))
await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
const installed = await run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', tarball)
const modules = join(folder, 'node_modules')

/** Imports a door of the installed package: another copy of the client than ours. */
const importDoor = (file: string) => import(pathToFileURL(join(modules, name, 'dist', file)).href)

t.test('a page that wants the client installs one package', async (t) => {
  t.equal(installed.code, 0, installed.stderr)
  t.same(
    (await readdir(modules)).filter((entry) => !entry.startsWith('.')),
    [name]
  )
  const { dependencies, peerDependencies } = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'))
  t.same([dependencies, peerDependencies], [undefined, undefined])
})

t.test('its declarations need no other package, and name neither Fastify nor the server', async (t) => {
  const declarations = join(modules, name, 'dist/declarations')
  const files = (await readdir(declarations, { recursive: true })).filter((file) => file.endsWith('.d.ts'))
  t.ok(files.length > 10)
  for (const file of files) {
    const code = (await readFile(join(declarations, file), 'utf8')).replace(/^\s*\/?\*.*$/gm, '')
    t.notMatch(code, /['"](?!fastify-services-client['"])@?fastify\b/, file)
  }
  const { code, stdout } = await run(root, bin('attw'), tarball, '--ignore-rules', 'cjs-resolves-to-esm', '--no-emoji')
  t.equal(code, 0, stdout)
})

t.test('a page type-checks with every declaration checked', async (t) => {
  const page = join(folder, 'page')
  await cp(join(root, 'test/package/consumer/browser'), page, { recursive: true })
  const text = await readFile(join(page, 'main.ts'), 'utf8')
  await writeFile(join(page, 'main.ts'), text.replaceAll('fastify-services/client', name))
  await writeFile(
    join(page, 'live.ts'),
    `import { createClient, rest } from '${name}'
import { events, type LiveList } from '${name}/events'
import * as page from '${name}/page'
const app = createClient<{ notes: { find(): Promise<{ text: string }[]> } }>()
  .configure(rest('/api').fetch(fetch))
  .configure(events())
export const list: LiveList<{ text: string }[]> = app.service('notes').live()
export const state: string = app.events.state
export const client = page.createClient().configure(page.rest('/api').fetch(fetch)).configure(page.events())
`
  )
  const config = JSON.parse(await readFile(join(page, 'tsconfig.json'), 'utf8'))
  await writeFile(join(page, 'tsconfig.json'), JSON.stringify({ ...config, include: ['*.ts'] }))
  t.match(await compile('typescript', page), { code: 0, stdout: /^$/ })
})

t.test('both doors export the same names as those of the server, and a program runs', async (t) => {
  t.same(Object.keys(await importDoor('index.js')).sort(), Object.keys(door).sort())
  t.same(Object.keys(await importDoor('browser/index.js')).sort(), Object.keys(door).sort())
  t.same(Object.keys(await importDoor('events.js')), ['events'])
  t.same(Object.keys(await importDoor('page.js')).sort(), [...Object.keys(door), 'events'].sort())
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('notes', { get: async (id: string) => ({ id }) })
  const address = await app.listen()
  await writeFile(
    join(folder, 'program.js'),
    `import { createClient, NotFound, rest } from '${name}'
import { events } from '${name}/events'
const app = createClient().configure(rest('${address}').fetch(fetch)).configure(events())
console.log(JSON.stringify(await app.service('notes').get(1)))
await app.service('none').get(1).catch((error) => console.log(error instanceof NotFound))
`
  )
  t.match(await run(folder, process.execPath, 'program.js'), { code: 0, stdout: '{"id":"1"}\ntrue\n' })
})

t.test('a page loads as much as with the door of the server', async (t) => {
  const sizeOf = async (text: string) => {
    const options = {
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      logLevel: 'error'
    } as const
    const { outputFiles } = await build({ ...options, stdin: { contents: text, resolveDir: folder } })
    return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  }
  const connected = (from: string) => `import { authentication, createClient, rest } from '${from}'
export const app = createClient().configure(rest('/api').fetch(fetch))`
  const served = join(root, 'dist/lib/client/index.js')
  for (const end of ['', '.configure(authentication())']) {
    const [size, most] = [await sizeOf(connected(name) + end), await sizeOf(connected(served) + end)]
    t.ok(size <= most, `${size} bytes of at most ${most}`)
  }
  t.equal(await sizeOf(`import '${name}'`), await sizeOf(''), 'nothing, if it is not used')
})

t.test('a server takes errors of the other copy for its own', async (t) => {
  const copy: Client = await importDoor('index.js')
  t.not(copy.NotFound, server.NotFound)
  const error = new copy.NotFound('gone', { id: 1 })
  t.ok(error instanceof server.NotFound)
  t.ok(error instanceof server.ServiceError)
  t.notOk(error instanceof server.Conflict)
  class OutOfStock extends server.NotFound {}
  t.notOk(error instanceof OutOfStock)
  const lookalike = { code: 404, statusCode: 404, className: 'not-found', name: 'NotFound', toJSON: () => ({}) }
  t.notOk(lookalike instanceof server.NotFound)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('notes', {
    get: async () => {
      throw error
    }
  })
  const { statusCode, body } = await app.inject({ url: '/notes/1', headers: { accept: 'application/json' } })
  t.equal(statusCode, 404)
  t.match(JSON.parse(body), { name: 'NotFound', message: 'gone', data: { id: 1 } })
})

t.test('services and connections of one copy work with the other', async (t) => {
  const copy: Client = await importDoor('index.js')
  const copyEvents: { events: typeof events } = await importDoor('events.js')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service(
    'notes',
    { get: async (id: string) => ({ id }), archive: async (data: object) => data },
    { methods: ['get', 'archive'] }
  )
  const address = await app.listen()
  for (const [one, other, setup] of [
    [door, copy, copyEvents.events],
    [copy, door, events]
  ] as [Client, Client, typeof events][]) {
    const connection = other.rest(address).fetch(fetch)
    const client = one.createClient().configure(connection).configure(other.authentication()).configure(setup())
    t.teardown(() => client.events.close())
    client.use('notes', connection.service('notes'), { methods: ['get', 'archive'] })
    const notes = client.service('notes') as unknown as Record<'get' | 'archive', (value: unknown) => Promise<unknown>>
    t.same(await notes.get(1), { id: '1' })
    t.same(await notes.archive({ a: 1 }), { a: 1 })
    await t.rejects(client.service('none').get(1), other.NotFound)
  }
})

t.test('its page says what README and documentation say', async (t) => {
  for (const page of ['README.md', 'docs/client.md', 'client/README.md']) t.match(read(page), `npm i ${name}`, page)
})
