import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'node:util'
import type { FastifyInstance } from 'fastify'
import * as door from 'fastify-services'
import * as authentication from 'fastify-services/authentication'
import * as client from 'fastify-services/client'
import * as feathers from 'fastify-services/feathers'
import * as openapi from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import { run } from '../package/pack.js'
import { type Exchange, fill, type Names, readExchanges, toPattern } from '../support/curl.js'
import { readSections, toPrograms } from '../support/snippets.js'

/*
 * How a page is read:
 * - the `ts` (or `js`) blocks under one heading are a program, which is compiled against the declarations of the package and run,
 *   apart from the others where it says something of their types (`declare module`); a block that makes an app (`const app = …`) begins a new one;
 * - one that makes no app begins with the lines of the section "The app of the snippets" of its page, or else of the README;
 * - what it prints stands as a comment behind the `console.log(…)`, in the order in which it is printed;
 * - in a `sh` block each `curl` is followed by its answer as a comment: it is sent to the program, on a port of its own;
 * - `$NAME` in an answer gives that value a name, under which later commands and answers of the program have it;
 * - a block that is not run says why, in a comment on the line before it: `<!-- not run: … -->`.
 */

// The compiler and the database of a snippet are slow to start on a machine that has other work.
t.setTimeout(300_000)

const root = new URL('..', import.meta.resolve('fastify-services'))
const documents = readdirSync(new URL('docs', root))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const pages = ['README.md', ...documents]
const sections = pages.flatMap((page) => readSections(page, new URL(page, root)))
const openingOf = (page = 'README.md') =>
  sections.find(({ name }) => name === `${page}: The app of the snippets`)?.snippets[0]?.text

// Snippets of pages read it, as an application would.
process.env.AUTH_SECRET = randomBytes(64).toString('base64')

const programs = sections.flatMap((section) =>
  toPrograms(section, openingOf(section.name.split(':')[0]) ?? openingOf() ?? '').map((program) => ({
    ...program,
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
  rootDir: '.',
  outDir: 'out'
}
const augments = (text = '') => /^declare module /m.test(text)
const [alone, together] = [true, false].map((isAlone) =>
  Object.entries(files('.ts')).flatMap(([file, text]) => (augments(text) === isAlone ? [file] : []))
) as [string[], string[]]
const projects = [together, ...alone.map((file) => [file])]
const folder = t.testdir({
  ...files('.ts'),
  out: { ...files('.js'), ...files('.cjs') },
  ...Object.fromEntries(
    projects.map((files, index) => [
      `tsconfig-${index}.json`,
      // The declarations themselves are checked once.
      JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck: index > 0 }, files })
    ])
  )
})

t.test('a block is of a known language, and says why when it is not run', async (t) => {
  for (const { name, snippets } of sections) {
    for (const { language, line, notRun } of snippets) {
      const where = `${name}, line ${line}`
      t.ok(['ts', 'js', 'sh', 'text'].includes(language), where)
      if (language === 'text') t.equal(notRun, undefined, `${where}: a text is not run anyway`)
    }
  }
})

t.test('each program says what it does: it prints, or is asked', async (t) => {
  for (const { file, prints, exchanges } of programs) t.not(prints.length + exchanges.length, 0, file)
  t.equal(new Set(programs.map(({ file }) => file)).size, programs.length, 'each section has a name of its own')
})

t.test('the snippets compile against the declarations of the package', async (t) => {
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
  for (const index of projects.keys()) {
    const project = join(folder, `tsconfig-${index}.json`)
    const { code, stdout, stderr } = await run(folder, process.execPath, tsc, '-p', project)
    t.equal(code, 0, `${stdout}${stderr}`)
  }
})

for (const { file, prints, exchanges } of programs) {
  t.test(file, async (t) => {
    const log = t.capture(console, 'log', () => {})
    const address = await start(t, join(folder, 'out', file.replace(/ts$/, 'js')), exchanges.length > 0)
    const names: Names = new Map()
    for (const exchange of exchanges) await ask(t, address, exchange, names)
    const lines = log().map(({ args }) => format(...args).replace(/\s+/g, ' '))
    t.strictSame(lines, prints, 'it prints what its comments say')
  })
}

/** Runs a program, and gives the address at which it is asked: that of its server, or its app. */
async function start(t: Test, file: string, isAsked: boolean): Promise<string> {
  const {
    app,
    server = app.server,
    listening
  } = (await import(pathToFileURL(file).href)) as {
    app: FastifyInstance
    server?: Server
    listening?: Promise<string>
  }
  t.teardown(() => app.close?.()) // an app of Feathers has none, nor has a client
  t.teardown(() => server?.close())
  await listening
  if (!isAsked) return ''
  if (!server.listening) await app.listen()
  return `http://localhost:${(server.address() as AddressInfo | null)?.port}`
}

async function ask(t: Test, address: string, exchange: Exchange, names: Names): Promise<void> {
  const { command, status, headers, body = '' } = exchange
  const { path, init } = fill(exchange, names)
  const response = await fetch(address + path, init)
  const answer = await response.text()
  t.equal(response.status, status, command)
  for (const [name, value] of Object.entries(headers)) t.equal(response.headers.get(name), value, `${command}: ${name}`)
  const pattern = toPattern(body, names)
  if (pattern === undefined) t.strictSame(parsed(answer), parsed(body), command)
  else {
    t.match(answer, pattern, command)
    for (const [name, value] of Object.entries(pattern.exec(answer)?.groups ?? {})) names.set(name, value)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.trim()
  }
}

t.test('the first shell block of the README holds the two commands that do all the set-up', async (t) => {
  const [first] = sections
    .filter(({ name }) => name.startsWith('README.md'))
    .flatMap(({ snippets }) => snippets)
    .filter(({ language }) => language === 'sh')
  t.same(
    first?.text.split('\n').map((line) => line.replace(/ +#.*$/, '')),
    ['npm ci && npm start', 'npm ci && npm test']
  )
})

t.test('every relative link leads somewhere', async (t) => {
  for (const page of [...pages, 'CONTRIBUTING.md', 'CHANGELOG.md']) {
    const url = new URL(page, root)
    for (const [, link = ''] of readFileSync(url, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue
      const target = new URL(link, url)
      t.ok(existsSync(target), `${page}: ${link}`)
      if (target.hash !== '') t.ok(anchors(target).includes(target.hash), `${page}: ${link}`)
    }
  }
})

/** The anchors of the headings of a page, as GitHub makes them. */
function anchors(page: URL): string[] {
  const titles = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...titles].map(
    ([, title = '']) =>
      `#${title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-')}`
  )
}

t.test('every exported name is told of', async (t) => {
  const text = pages.map((page) => readFileSync(new URL(page, root), 'utf8')).join('\n')
  for (const name of Object.keys({ ...door, ...authentication, ...client, ...openapi, ...feathers })) {
    if (name !== 'default') t.ok(new RegExp(`\\b${name}\\b`).test(text), name)
  }
})

t.test('the guide for contributors names every file of the library, and no other', async (t) => {
  const guide = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')
  const named = [...guide.matchAll(/^\| `((?:lib|types)\/[^`]+\.ts)` \|/gm)].map(([, file]) => file)
  const found = ['lib', 'types'].flatMap((directory) =>
    readdirSync(new URL(directory, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${directory}/${file}`)
  )
  t.same(named.sort(), found.sort())
})

t.test('the guide for contributors gives each runtime dependency a reason', async (t) => {
  const guide = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { dependencies: object }
  for (const name of Object.keys(dependencies)) t.ok(new RegExp(`^\\| \`${name}\` \\| \\S`, 'm').test(guide), name)
})
