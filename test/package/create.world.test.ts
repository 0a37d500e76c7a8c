import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import t, { type Test } from 'tap'
import { hasCurl } from '../examples/atlas-commands.js'
import { checkAccessibility } from '../support/accessibility.js'
import { executablePath, openContext } from '../support/chromium.js'
import { installIn } from '../support/install.js'
import { copyEmpty } from '../support/pglite.js'
import { readSections } from '../support/snippets.js'
import { askAll } from './addresses.js'
import { linkPackages } from './installed.js'
import { type Outcome, pack, run, temporaryFolder } from './pack.js'
import { root } from './sources.js'
import { pasteAll, start, stop } from './started.js'

// A database in the process is slow to make on a machine that has other work, and the compiler too.
t.setTimeout(900_000)

const tarball = await pack(await temporaryFolder(t))
const pagePackages = join(root, 'test/package/fullstack')
await installIn(pagePackages)
const comparisonPackages = join(root, 'bench/product')
await installIn(comparisonPackages)
const program = await unpackProgram()

/** The program as `npm create` gets it: packed, and unpacked again in a folder without this repository. */
async function unpackProgram(): Promise<string> {
  const folder = await temporaryFolder(t)
  const packed = await run(join(root, 'create'), 'npm', 'pack', '--silent', '--pack-destination', folder)
  const [name = packed.stderr] = await readdir(folder)
  await run(folder, 'tar', '-xzf', name)
  return join(folder, 'package/main.js')
}

const create = (folder: string, ...options: string[]): Promise<Outcome> =>
  run(folder, 'env', 'npm_config_user_agent=npm/11.0.0 node/v20', 'node', program, ...options)

/** Makes a project in an empty folder, and gives it its packages. */
async function createProject(t: Test, ...options: string[]): Promise<string> {
  const folder = await temporaryFolder(t)
  const { code, stdout, stderr } = await create(folder, 'My App', '--no-install', ...options)
  t.equal(code, 0, stderr)
  t.match(
    stdout,
    /\nCreated "My App": \d+ files of .+\nStart it: {2}cd "My App" && npm install && npm start\nTest it: {3}npm test\n$/
  )
  const project = join(folder, 'My App')
  t.equal(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).name, 'my-app')
  t.ok(existsSync(join(project, '.gitignore')))
  t.notMatch(readFileSync(join(project, 'README.md'), 'utf8'), /\]\(\.\./, 'it links to nothing that is not there')
  await linkPackages(t, project, tarball, options.includes('fullstack') ? pagePackages : undefined)
  return project
}

const skip = !(await hasCurl()) && 'curl is not installed'
const projectAnswers = [
  { id: 1, organisationId: 1, role: 'owner', name: 'Ada' },
  { accessToken: String },
  { id: 1, organisationId: 1, name: 'Loom' }
]
const issueAnswers = [
  { id: 1, projectId: 1, authorId: 1, title: 'It is slow', text: '', state: 'open' },
  { id: 1, state: 'closed' },
  { total: 1, data: [{ id: 1, state: 'closed' }] }
]
const messageAnswers = [{ id: 1, text: 'Hello' }, { total: 1 }, { text: 'Bye' }, { text: 'Bye' }]
const commands: [options: string[], answers: object[]][] = [
  ...[[], ['--javascript']].flatMap((options): [string[], object[]][] => [
    [options, messageAnswers],
    [
      ['--template', 'api', ...options],
      [...projectAnswers, ...issueAnswers]
    ],
    [['--template', 'fullstack', ...options], projectAnswers]
  ])
]

for (const [options, answers] of commands)
  t.test(
    `a project of ${options.join(' ') || 'the first template'}: its tests, its start, its README, its stop`,
    { skip },
    async (t) => {
      const folder = await createProject(t, ...options)
      const tests = await run(folder, 'npm', 'test')
      t.equal(tests.code, 0, `${tests.stdout}${tests.stderr}`)
      // `npm start` itself does not hand the signal on, as an image does without it.
      const scripts = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts
      const [, main = ''] = /node (\S+)$/.exec(scripts.start) ?? []
      // The projects of the template `api` make a database, by the same file.
      if (options.includes('fullstack')) {
        await copyEmpty(join(folder, 'data'))
        // As `npm start` does it: the page links to the explorer.
        t.equal((await run(folder, 'npm', 'run', 'build', '--', '--mode', 'development')).code, 0)
      }
      const { address, child } = await start(t, folder, 'node', main)
      const pasted = await pasteAll(folder, address)
      t.match(pasted, answers)
      const hasLogin = pasted.some(({ accessToken }) => accessToken !== undefined)
      if (hasLogin) await askReadme(t, folder, address)
      if (options.includes('fullstack') && executablePath !== undefined) await visit(t, address)
      await stop(t, child)
      if (hasLogin) {
        const secret = `AUTH_SECRET=${'of production '.repeat(3)}`
        const production = await start(t, folder, 'env', 'NODE_ENV=production', secret, 'node', main)
        await askReadme(t, folder, production.address, { '/explorer': 404, '/explorer/document.json': 404 })
        await stop(t, production.child)
      }
      const names = await readdir(folder, { recursive: true })
      if (names.includes('drizzle')) {
        const kit = join(comparisonPackages, 'node_modules/drizzle-kit/bin.cjs')
        const { stdout } = await run(folder, 'node', kit, 'generate')
        t.match(stdout, /No schema changes/, 'the migrations are those of the tables')
      }
      const source = names.filter((name) => /\.[jt]sx?$/.test(name) && !/(^|[\\/])(node_modules|dist)[\\/]/.test(name))
      for (const name of source)
        t.notMatch(
          readFileSync(join(folder, name), 'utf8'),
          / as (?!const\b|\w+ from)(?:[A-Z]\w*|unknown|any|never|string|number|object)\b/,
          `${name} has no casts`
        )
    }
  )

/** Asks all addresses that the README of a project names, as the user that its commands have made. */
async function askReadme(t: Test, folder: string, address: string, statuses: Record<string, number> = {}) {
  const response = await fetch(`${address}/authentication`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ strategy: 'local', email: 'ada@example.com', password: 'correct horse' })
  })
  const { accessToken } = (await response.json()) as { accessToken: string }
  const headers = { authorization: `Bearer ${accessToken}` }
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  await askAll(t, address, readme, headers, {
    ...{ '/sign-ups': 405, '/authentication': 405, '/organisations': 405 },
    ...statuses
  })
}

/** What its README says of the page, in two windows. */
async function visit(t: Test, address: string): Promise<void> {
  const faults: string[] = []
  const open = async (options: BrowserContextOptions) => {
    const page = await (await openContext(t, options)).newPage()
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    await page.goto(address)
    await page.getByLabel('Password').waitFor()
    return page
  }
  const [first, second] = [await open({ colorScheme: 'dark' }), await open({ viewport: { width: 390, height: 844 } })]
  t.strictSame(faults, [], 'a stranger sees no fault in the console')
  await first.getByText('Create an account').click()
  await first.getByLabel('Organisation').fill('Looms')
  await first.getByLabel('Name', { exact: true }).fill('Bob')
  for (const page of [first, second]) {
    await page.getByLabel('E-mail').fill('bob@example.com')
    await page.getByLabel('Password').fill('correct horse')
  }
  await second.getByRole('button', { name: 'Log in' }).click()
  await second.getByText('Invalid login').waitFor()
  await second.getByLabel('Password').fill('correct horse')
  await second.getByText('Invalid login').waitFor({ state: 'detached' })
  await first.getByRole('button', { name: 'Create account' }).click()
  await first.getByText('Create your first project').waitFor()
  await first.getByLabel('New project').fill('Jacquard')
  await first.getByRole('button', { name: 'Create' }).click()
  await second.getByRole('button', { name: 'Log in' }).click()
  await second.getByText('No issues yet.').waitFor()
  await first.getByLabel('Title').fill('It is loud')
  await first.getByRole('button', { name: 'Add' }).click()
  await second.getByText('It is loud').waitFor()
  await second.getByText('1 open').waitFor()
  await checkAccessibility(t, first, 'wide, dark')
  await checkAccessibility(t, second, 'narrow, light')
  await second.getByRole('button', { name: 'Close' }).click()
  await first.getByRole('button', { name: 'Reopen' }).waitFor()
  await first.reload()
  await first.getByRole('button', { name: 'Reopen' }).waitFor()
  await first.getByRole('link', { name: 'Explorer' }).click()
  await first.getByText('/sign-ups').filter({ visible: true }).first().waitFor()
  await first.goBack()
  await first.getByRole('button', { name: 'Log out' }).click()
  await first.getByRole('button', { name: 'Log in' }).waitFor()
  t.pass('the page does what its README says')
}

t.test('the packages are installed by the manager that has called it', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'bin'))
  for (const [manager, code] of [
    ['pnpm', 0],
    ['npm', 3]
  ] as const) {
    await writeFile(join(folder, 'bin', manager), `#!/bin/sh\necho "${manager} $*" > asked\nexit ${code}\n`)
    await chmod(join(folder, 'bin', manager), 0o755)
  }
  const createBy = (agent: string) =>
    run(
      folder,
      'env',
      `PATH=${join(folder, 'bin')}:${process.env.PATH}`,
      `npm_config_user_agent=${agent}`,
      'node',
      program,
      'app'
    )
  const { code, stdout } = await createBy('pnpm/10.0.0 npm/? node/v20')
  t.equal(code, 0)
  t.equal(readFileSync(join(folder, 'app/asked'), 'utf8'), 'pnpm install\n')
  t.match(stdout, /\nStart it: {2}cd app && pnpm start\nTest it: {3}pnpm test\n$/)
  await rm(join(folder, 'app'), { recursive: true })
  const failed = await createBy('someone/1.0.0')
  t.match(failed, {
    code: 1,
    stderr: /could not be installed: run npm install in app/,
    stdout: /cd app && npm install && npm start\n/
  })
})

t.test('a folder with files is left alone', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'app'))
  await writeFile(join(folder, 'app/mine.txt'), 'mine')
  t.match(await create(folder, 'app'), { code: 1, stderr: /^The folder app is not empty: it has mine.txt\n$/ })
  t.strictSame(await readdir(join(folder, 'app')), ['mine.txt'])
  t.match(await create(folder, 'app/mine.txt'), { code: 1, stderr: /The folder app\/mine.txt can't be made/ })
  await mkdir(join(folder, 'cloned/.git'), { recursive: true })
  t.match(await create(folder, 'cloned', '--no-install'), { code: 0 })
})

// In this file, since two builds of the templates at once destroy each other.
t.test('the README: a project with the package of a clone, and its first program there', async (t) => {
  const snippets = readSections('README.md').flatMap(({ snippets }) => snippets)
  const lines = snippets.find(({ text }) => text.includes('npm run try'))?.text.split('\n') ?? []
  t.match(lines, [/^npm ci && npm run try -- \.\.\/my-app /, /^cd \.\.\/my-app && npm start$/])
  const folder = join(await temporaryFolder(t), 'my-app')
  // The script alone: a build would take the files of other tests away.
  const made = await run(root, 'node', 'scripts/try.js', folder)
  t.equal(made.code, 0, made.stderr)
  // `npm start` itself, which builds and starts, would not hand on the signal that ends it.
  t.equal((await run(folder, 'npm', 'run', 'build')).code, 0)
  const project = await start(t, folder, 'node', 'dist/server.js')
  t.match(await (await fetch(`${project.address}/messages`)).json(), { total: 0, data: [] })

  const program = snippets.find(({ language }) => language === 'js')?.text ?? ''
  // Another program may have the port.
  writeFileSync(join(folder, 'server.mjs'), program.replace('port: 3030', 'port: 0'))
  const { address } = await start(t, folder, 'node', 'server.mjs')
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse' })
  t.match(await (await fetch(`${address}/users`, { method: 'POST', headers, body })).json(), { id: 1 })
  t.ok(readFileSync(join(folder, 'package.json'), 'utf8').includes('"file:fastify-services-'))
})
