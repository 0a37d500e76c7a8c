import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { run } from '../package/pack.js'
import { root } from '../package/sources.js'
import { compile } from '../support/compilers.js'
import { ask, type Names, readExchanges } from '../support/curl.js'
import { installIn } from '../support/install.js'
import { tutorial } from '../support/pages.js'
import { copyEmpty } from '../support/pglite.js'
import { createDatabase, skipPostgres } from '../support/postgres.js'
import { readSections, type Snippet } from '../support/snippets.js'

/*
 * The tutorial, done as a reader does it, block after block, in a folder:
 * - the first line of a program names its file: `// server.ts` begins it;
 *   `// server.ts, above app.listen` adds to it; `// server.ts, instead` replaces it; a program that names no file goes on with the one before;
 * - `npx drizzle-kit generate` writes the migrations;
 * - `node server.ts` starts a server again, `node page.ts` a program beside it; `# page.ts: …` behind an answer is what that prints then;
 * - `node --test` runs the tests, whose names stand below it;
 * - `curl` asks the server.
 */

t.setTimeout(900_000)

const listens = '\nawait app.listen('
const fileOf = (text: string) => /^(?:\/\/|#) ([\w.]+)(?:, (above app\.listen|instead))?\n/.exec(text)

const isRun = ({ notRun }: Snippet) => notRun === undefined
const blocks = tutorial.flatMap(readSections).flatMap(({ snippets }) => snippets.filter(isRun))

/** The commands of a block, each with its answer. */
const toCommands = (text: string) => text.split(/\n\n|\n(?=(?:node|curl) )/)

const settings = blocks.map(({ text }) => text).find((text) => fileOf(text)?.[1] === 'tsconfig.json') ?? ''

const packages = join(root, 'bench/product')
await installIn(packages)
const drizzleKit = join(packages, 'node_modules/drizzle-kit/bin.cjs')

const { NODE_OPTIONS: _, DATABASE_URL: __, ...environment } = process.env
const withoutMark = (line: string) => line.replace(/^# /, '')
const toCompiled = (file: string) => join('dist', file.replace(/ts$/, 'js'))

/** Who follows the tutorial: writes files, and enters commands. */
class Reader {
  readonly #t: Test
  readonly #folder: string
  readonly #port: number
  readonly #files = new Map<string, string>()
  readonly #programs = new Map<string, { child: ChildProcess; lines: AsyncIterator<string> }>()
  readonly #names: Names = new Map()
  #file = ''
  #isCompiled = false

  constructor(t: Test) {
    this.#t = t
    this.#folder = t.testdir({ 'tsconfig.json': settings, '.env': '' })
    this.#port = 20_000 + (process.pid % 12_000)
    t.teardown(() => Promise.all([...this.#programs.keys()].map((file) => this.#stop(file, 'SIGKILL'))))
  }

  write(text: string): void {
    const [, file = this.#file, change] = fileOf(text) ?? []
    const written = change === 'instead' ? '' : (this.#files.get(file) ?? '')
    const end = change === 'above app.listen' ? written.lastIndexOf(listens) : written.length
    this.#files.set(file, `${written.slice(0, end)}\n${text}\n${written.slice(end)}`)
    this.#file = file
    this.#isCompiled = false
  }

  /** Enters a command, with the answer that the page has below it. */
  async enter(text: string): Promise<void> {
    const lines = text.replaceAll('\\\n', '').split('\n')
    const answer = lines.filter((line) => line.startsWith('#'))
    const command = lines.filter((line) => !answer.includes(line)).join('\n')
    const file = /^node (?:--env-file=\.env )?(\w+\.ts)$/.exec(command)?.[1]
    if (command.startsWith('node -p ')) return this.#makeSecret(command)
    await this.#compile()
    if (command.startsWith('npx drizzle-kit ')) await this.#generate(command, answer.map(withoutMark))
    else if (command.endsWith('node --test')) await this.#test(command, answer.map(withoutMark))
    else if (file !== undefined) await this.#start(file, answer.map(withoutMark))
    else await this.#ask(command, answer)
  }

  async #makeSecret(command: string): Promise<void> {
    const { code, stderr } = await run(this.#folder, 'sh', '-c', command)
    this.#t.equal(code, 0, `${command}: ${stderr}`)
  }

  async #generate(command: string, output: readonly string[]): Promise<void> {
    const [, , ...args] = command.split(' ')
    const { code, stdout, stderr } = await run(this.#folder, process.execPath, drizzleKit, ...args)
    this.#t.equal(code, 0, `${command}: ${stderr}`)
    for (const line of output) this.#t.ok(stdout.includes(line), stdout)
  }

  /** Compiles all files: Node.js 20 runs no TypeScript. */
  async #compile(): Promise<void> {
    if (this.#isCompiled) return
    for (const [file, text] of this.#files) await writeFile(join(this.#folder, file), text)
    const options = ['--noEmit', 'false', '--outDir', join(this.#folder, 'dist'), '--rewriteRelativeImportExtensions']
    const { stdout } = await compile('typescript', this.#folder, ...options)
    this.#t.equal(stdout, '', 'it compiles')
    for (const file of [...this.#files.keys()].filter((file) => file.endsWith('.ts'))) {
      const database = await this.#createDatabase(file)
      const compiled = join(this.#folder, toCompiled(file))
      const code = (await readFile(compiled, 'utf8'))
        .replace(/\b3030\b/, String(this.#port))
        .replace('memory://', database)
      await writeFile(compiled, code)
    }
    this.#isCompiled = true
  }

  /** An empty database for a program. It takes PGlite six seconds to make one, and less than one to copy it. */
  async #createDatabase(file: string): Promise<string> {
    const folder = file === 'server.ts' ? 'data' : `${file}-data`
    if (!this.#isStarted) await copyEmpty(join(this.#folder, folder))
    return folder
  }

  get #isStarted(): boolean {
    return this.#programs.has('server.ts')
  }

  async #start(file: string, output: readonly string[]): Promise<void> {
    await this.#stop(file, 'SIGINT')
    const flags = file === 'server.ts' ? ['--env-file=.env'] : []
    const child = spawn(process.execPath, [...flags, toCompiled(file)], {
      cwd: this.#folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit']
    })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    this.#programs.set(file, { child, lines })
    if (file === 'server.ts') await this.#listening(child)
    await this.#prints(file, output)
  }

  async #listening(child: ChildProcess): Promise<void> {
    while (child.exitCode === null) {
      const response = await fetch(`http://localhost:${this.#port}`).catch(() => undefined)
      if (response !== undefined) return
      await wait(50)
    }
    throw new Error(`The server has ended with ${child.exitCode}`)
  }

  async #stop(file: string, signal: NodeJS.Signals): Promise<void> {
    const { child } = this.#programs.get(file) ?? {}
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    const [code] = await once(child, 'exit')
    if (signal === 'SIGINT') this.#t.equal(code, 0, `${file} ends on ${signal}`)
  }

  async #prints(file: string, output: readonly string[]): Promise<void> {
    for (const line of output) this.#t.equal((await this.#programs.get(file)?.lines.next())?.value, line, file)
  }

  async #test(command: string, names: readonly string[]): Promise<void> {
    const onServer = command.includes('DATABASE_URL')
    if (onServer && skipPostgres) return
    const database = onServer ? [`DATABASE_URL=${await createDatabase(this.#t)}`] : []
    const flags = ['--test', '--test-reporter=spec']
    const { code, stdout } = await run(
      this.#folder,
      'env',
      ...database,
      process.execPath,
      ...flags,
      toCompiled('server.test.ts')
    )
    this.#t.equal(code, 0, stdout)
    for (const name of names) this.#t.ok(stdout.includes(name), name)
    this.#t.ok(stdout.includes(`pass ${names.length}\n`), stdout)
  }

  async #ask(command: string, answer: readonly string[]): Promise<void> {
    if (!this.#isStarted) await this.#start('server.ts', [])
    const isOfPage = (line: string) => line.startsWith('# page.ts: ')
    const [exchange] = readExchanges([command, ...answer.filter((line) => !isOfPage(line))].join('\n'))
    if (exchange === undefined) throw new Error(`Not known: ${command}`)
    await ask(this.#t, `http://localhost:${this.#port}`, exchange, this.#names)
    await this.#prints(
      'page.ts',
      answer.filter(isOfPage).map((line) => line.replace('# page.ts: ', ''))
    )
  }
}

t.test('the tutorial', async (t) => {
  const reader = new Reader(t)
  for (const { language, text } of blocks) {
    if (language === 'ts' || language === 'text') reader.write(text)
    else for (const command of toCommands(text)) await reader.enter(command)
  }
})

t.test('the tutorial has all kinds of commands', async (t) => {
  for (const text of ['node page.ts', 'node --test', 'DATABASE_URL=', '-X POST'])
    t.ok(
      blocks.some(({ language, text: block }) => language === 'sh' && block.includes(text)),
      text
    )
})
