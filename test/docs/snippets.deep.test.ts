import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import '../support/auth-scrypt.js'
import { compile } from '../support/compilers.js'
import { ask, type Names, readExchanges } from '../support/curl.js'
import { pages, tutorial } from '../support/pages.js'
import { copyEmpty } from '../support/pglite.js'
import { createDatabase, skipPostgres } from '../support/postgres.js'
import { readSections, toPrograms } from '../support/snippets.js'

/*
 * How a page is read:
 * - the `ts` (or `js`) blocks under one heading are a program, which is compiled against the declarations of the package and run,
 *   together with the others, or, where it says something of their types (`declare module`), with those that do so too;
 * - a block that makes an app (`const app = …`) begins a new program;
 * - one that makes no app begins with the lines of the section "The app of the snippets" of its page, or else of the README;
 * - what it prints stands as a comment behind the `console.log(…)`, in the order in which it is printed;
 * - in a `sh` block each `curl` is followed by its answer as a comment: it is sent to the program, on a port of its own;
 * - `$NAME` in an answer gives that value a name, under which later commands and answers of the program have it;
 * - a program that reads `process.env.DATABASE_URL` gets a database of its own, and is left out where there is no PostgreSQL server;
 * - a block that is not run says why, in a comment on the line before it: `<!-- not run: … -->`.
 */

// The compiler and the database of a snippet are slow to start on a machine that has other work.
t.setTimeout(300_000)

// Pages may be named: PAGES=docs/http.md node dist/test/docs/snippets.deep.test.js
const named = process.env.PAGES?.split(' ') ?? []
// The tutorial is followed by a test of its own: tutorial.world.test.ts.
const sections = [...pages, 'AGENTS.md']
  .filter((page) => !tutorial.includes(page))
  .flatMap((page) => readSections(page))
const asked = sections.filter(({ name }) => named.length === 0 || named.some((page) => name.startsWith(`${page}:`)))
const openingOf = (page = 'README.md') =>
  sections.find(({ name }) => name === `${page}: The app of the snippets`)?.snippets[0]?.text

// Snippets of pages read it, as an application would.
process.env.AUTH_SECRET = randomBytes(64).toString('base64')
// What it logs is no subject here.
process.env.LOG_LEVEL = 'error'

// An empty database of PGlite is copied: to create one takes six seconds.
const databaseOf = (file: string) => join(t.testdirName, `${file}-database`)
const inMemory: readonly [of: string, at: (folder: string) => string][] = [
  ['connection: {}', (folder) => `connection: { filename: '${folder}' }`],
  ['PGlite.create()', (folder) => `PGlite.create('${folder}')`]
]
// A program that names it gets a new database of a server.
const onServer = 'process.env.DATABASE_URL'

const programs = asked.flatMap((section) =>
  toPrograms(section, openingOf(section.name.split(':')[0]) ?? openingOf() ?? '').map((program) => ({
    ...program,
    text: inMemory.reduce((text, [of, at]) => text.replace(of, at(databaseOf(program.file))), program.text),
    hasDatabase: inMemory.some(([of]) => program.text.includes(of)),
    needsServer: program.text.includes(onServer),
    exchanges: program.commands.flatMap(readExchanges)
  }))
)
const files = (extension: string) =>
  Object.fromEntries(programs.filter(({ file }) => file.endsWith(extension)).map(({ file, text }) => [file, text]))
const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  // The declarations themselves are checked in test/package.
  skipLibCheck: true,
  rootDir: '.',
  outDir: 'out'
}
// What augments the types of the package would change those of other programs: the like are compiled together.
const augments = (text: string) => /^declare module [\s\S]*?interface (\w+)/m.exec(text)?.[1] ?? 'nothing'
const projects = new Map<string, string[]>()
for (const { file, text } of programs.filter(({ file }) => file.endsWith('.ts')))
  projects.set(augments(text), [...(projects.get(augments(text)) ?? []), file])
const folder = t.testdir({
  ...files('.ts'),
  out: { ...files('.js'), ...files('.cjs') },
  ...Object.fromEntries(
    [...projects].map(([name, files]) => [`${name}.json`, JSON.stringify({ compilerOptions, files })])
  )
})

t.test('a block is of a known language, and says why when it is not run', async (t) => {
  for (const { name, snippets } of sections) {
    for (const { language, line, notRun } of snippets) {
      const where = `${name}, line ${line}`
      t.ok(['ts', 'tsx', 'js', 'html', 'sh', 'text'].includes(language), where)
      if (language === 'text') t.equal(notRun, undefined, `${where}: a text is not run anyway`)
    }
  }
})

t.test('each program says what it does: it prints, or is asked', async (t) => {
  for (const { file, prints, exchanges } of programs) t.not(prints.length + exchanges.length, 0, file)
  t.equal(new Set(programs.map(({ file }) => file)).size, programs.length, 'each section has a name of its own')
})

t.test('the first program of a page can be copied: it is whole', async (t) => {
  for (const page of pages.filter((page) => !tutorial.includes(page))) {
    const snippets = sections.filter(({ name }) => name.startsWith(`${page}:`)).flatMap(({ snippets }) => snippets)
    const first = snippets.find(({ language, notRun }) => ['ts', 'js'].includes(language) && notRun === undefined)
    if (first !== undefined) t.match(first.text, /^const (app|server) =/m, page)
  }
})

t.test('the snippets compile against the declarations of the package', async (t) => {
  for (const name of projects.keys()) {
    const { code, stdout, stderr } = await compile('typescript', join(folder, `${name}.json`))
    t.equal(code, 0, `${stdout}${stderr}`)
  }
})

for (const { file, prints, hasDatabase, needsServer, exchanges } of programs) {
  t.test(file, { skip: needsServer && skipPostgres }, async (t) => {
    if (hasDatabase) await copyEmpty(databaseOf(file))
    if (needsServer) process.env.DATABASE_URL = await createDatabase(t)
    const log = t.capture(console, 'log', () => {})
    const address = await start(t, join(folder, 'out', file.replace(/ts$/, 'js')), exchanges.length > 0)
    const names: Names = new Map()
    for (const exchange of exchanges) await ask(t, address, exchange, names)
    // The address of a test is another one.
    const lines = log()
      .map(({ args }) => format(...args).replace(/\s+/g, ' '))
      .filter((line) => !line.startsWith('Listening at '))
    t.strictSame(lines, prints, 'it prints what its comments say')
  })
}

/** Runs a program, and gives the address at which it is asked: that of its server, or its app. */
async function start(t: Test, file: string, isAsked: boolean): Promise<string> {
  const {
    app,
    server: own,
    listening
  } = (await import(pathToFileURL(file).href)) as {
    app: FastifyInstance
    server?: Server | FastifyInstance
    listening?: Promise<string>
  }
  // A page of the client calls the application of the server `server`.
  const server = own === undefined ? app.server : 'server' in own ? own.server : own
  t.teardown(() => app.close?.()) // an app of Feathers has none, nor has a client
  t.teardown(() => own?.close())
  await listening
  if (!isAsked) return ''
  if (!server.listening) await app.listen()
  return `http://localhost:${(server.address() as AddressInfo | null)?.port}`
}
