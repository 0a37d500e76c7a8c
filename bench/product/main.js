// npm run bench:lines: an issue tracker here, on Hono and on oRPC, all with Drizzle, the latter two with Better Auth. Starts each, checks all that
// it has to do over HTTP, and counts its lines: formatted alike, without empty lines and comments.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { copyEmpty } from '../../dist/test/support/pglite.js'
import { accept } from './acceptance.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const program = (name, args, cwd) =>
  execFileSync(process.execPath, [`${root}node_modules/${name}`, ...args], { cwd, stdio: ['ignore', 2, 2] })

const isCode = (line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)
const linesOf = (text) => text.split('\n').filter(isCode)
const charactersOf = (text) => linesOf(text).reduce((sum, line) => sum + line.trim().length, 0)

const logInByBetterAuth = async (call, email, password) => {
  const { status, body } = await call('POST', '/api/auth/sign-in/email', { email, password })
  return { status, token: body.token }
}
const toQuery = ({ filter, limit = 20, skip = 0, descending }) =>
  `?${new URLSearchParams({ ...filter, limit, offset: skip, sort: descending ? '-id' : 'id' })}`
const shared = ['database.ts', 'auth.ts']
const byBetterAuth = { folder: here, logIn: logInByBetterAuth, toQuery }
const sides = {
  'fastify-services': {
    folder: `${root}dist/bench/product`,
    files: ['server.ts', 'database.ts', 'tables.ts'],
    async logIn(call, email, password) {
      const { status, body } = await call('POST', '/authentication', { strategy: 'local', email, password })
      return { status, token: body.accessToken }
    },
    toQuery: ({ filter, limit = 20, skip = 0, descending }) =>
      `?${new URLSearchParams({ ...filter, $limit: limit, $skip: skip, '$sort[id]': descending ? -1 : 1 })}`,
    toStream: (list) => list
  },
  'Hono, Drizzle, Better Auth': {
    ...byBetterAuth,
    files: ['hono.ts', ...shared],
    toStream: (list) => list
  },
  'oRPC, Drizzle, Better Auth': {
    ...byBetterAuth,
    files: ['orpc.ts', ...shared],
    toStream: (list) => `${list}/events`
  }
}

// What was prepared by a run before can be taken again.
if (!process.argv.includes('--prepared')) prepare()
console.log('| the issue tracker | lines | characters | lines that are generated |\n| --- | --- | --- | --- |')
for (const [name, side] of Object.entries(sides)) {
  await run(side)
  const { lines, characters, generated } = count(side)
  console.log(`| ${name} | ${lines} | ${characters} | ${generated} |`)
}

/** Copies our program into a folder, installs the packages of the others, and compiles all. */
function prepare() {
  if (!existsSync(`${here}node_modules`))
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: here, stdio: ['ignore', 2, 2] })
  const { folder, files } = sides['fastify-services']
  mkdirSync(folder, { recursive: true })
  // The package is found below the root only: `bench/product` has a package.json of its own.
  for (const file of files) copyFileSync(`${here}services/${file}`, `${folder}/${file}`)
  copyFileSync(`${here}tsconfig.json`, `${folder}/tsconfig.json`)
  generate(folder, '--dialect=postgresql', '--schema=tables.ts')
  generate(here)
  for (const cwd of [folder, here]) program('typescript/bin/tsc', ['-p', '.'], cwd)
}

/** Writes the migrations of a side. */
function generate(cwd, ...options) {
  rmSync(`${cwd}/drizzle`, { recursive: true, force: true })
  const kit = `${here}node_modules/drizzle-kit/bin.cjs`
  execFileSync(process.execPath, [kit, 'generate', ...options], { cwd, stdio: ['ignore', 'ignore', 2] })
}

async function run({ folder, files: [file], ...side }) {
  const port = 20_000 + (process.pid % 12_000)
  const data = mkdtempSync(join(tmpdir(), 'issues-'))
  await copyEmpty(data)
  const env = { ...process.env, PORT: port, AUTH_SECRET: randomBytes(64).toString('base64'), DATA_FOLDER: data }
  const child = spawn(process.execPath, [`dist/${file.replace('.ts', '.js')}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 2, 2]
  })
  const url = `http://localhost:${port}`
  const ended = once(child, 'exit')
  try {
    while ((await fetch(url).catch(() => undefined)) === undefined) {
      if (child.exitCode !== null) throw new Error(`${file} has ended`)
      await wait(50)
    }
    await accept(side, url)
  } finally {
    // A server that goes on would keep this process running, too.
    child.kill('SIGKILL')
    await ended
    rmSync(data, { recursive: true })
  }
}

/** The lines and the characters of what somebody has written. What Better Auth generates is told apart. */
function count({ folder, files }) {
  const text = files.map((file) => format(readFileSync(`${folder}/${file}`, 'utf8'))).join('')
  const generated = /\/\/ The four tables of Better Auth[^\n]*\n(.*?)\n\n/s.exec(text)?.[1] ?? ''
  return {
    lines: linesOf(text).length - linesOf(generated).length,
    characters: charactersOf(text) - charactersOf(generated),
    generated: linesOf(generated).length
  }
}

function format(text) {
  const biome = `${root}node_modules/@biomejs/biome/bin/biome`
  return execFileSync(process.execPath, [biome, 'format', '--stdin-file-path=server.ts'], {
    cwd: root,
    input: text,
    encoding: 'utf8'
  })
}
