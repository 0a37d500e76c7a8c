import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { hasCurl, paste } from '../examples/atlas-commands.js'
import { pack, run, temporaryFolder } from './pack.js'
import { root } from './sources.js'

interface Manifest {
  readonly version?: string
  readonly dependencies: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
const own = await manifestIn(root)
const tarball = await pack(await temporaryFolder(t))

/** A copy of an example, with the packages that its `package.json` names, the packed one among them, and no others. */
async function copyExample(t: Test, name: string): Promise<string> {
  const folder = await temporaryFolder(t)
  await cp(join(root, 'examples', name), folder, { recursive: true })
  const { dependencies, devDependencies } = await manifestIn(folder)
  const { 'fastify-services': version, ...named } = { ...dependencies, ...devDependencies }
  t.equal(version, `^${own.version}`)
  for (const [name, range] of Object.entries(named)) t.equal(range, own.devDependencies?.[name], name)
  for (const name of Object.keys({ ...named, ...own.dependencies })) {
    const place = join(folder, 'node_modules', name)
    await mkdir(dirname(place), { recursive: true })
    await symlink(join(root, 'node_modules', name), place, 'dir')
  }
  await mkdir(join(folder, 'node_modules/.bin'))
  await symlink(join(root, 'node_modules/.bin/tsc'), join(folder, 'node_modules/.bin/tsc'))
  const unpacked = join(folder, 'node_modules/fastify-services')
  await mkdir(unpacked)
  await run(unpacked, 'tar', '-xzf', tarball, '--strip-components=1')
  return folder
}

/** Starts a copy as its README says, and gives its address. */
async function start(t: Test, folder: string, ...command: [string, ...string[]]) {
  const { NODE_OPTIONS: _loaders, ...env } = process.env
  const [program, ...args] = command
  const child = spawn(program, args, { cwd: folder, env: { ...env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  for await (const line of createInterface(child.stdout)) {
    const [address] = /http:\/\/[^/]+:\d+/.exec(line) ?? []
    if (address !== undefined) return { address: address.replace('[::1]', 'localhost'), child }
  }
  throw new Error(`${folder} has ended before it listened`)
}

async function stop(t: Test, child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [0, null], 'it stops well')
}

/** Runs the commands of its README, and gives what they answer. */
async function pasteAll(folder: string, address: string): Promise<Record<string, unknown>[]> {
  const answers: Record<string, unknown>[] = []
  const lines = readFileSync(join(folder, 'README.md'), 'utf8').match(/^curl .+/gm) ?? []
  for (const line of lines) {
    const token = answers.find(({ accessToken }) => accessToken !== undefined)?.accessToken ?? ''
    const command = line.replaceAll('localhost:3030', address).replace('curl ', 'curl -s ')
    answers.push(await paste(`TOKEN=${token}`, `cd ${folder}`, command))
  }
  return answers
}

const skip = !(await hasCurl()) && 'curl is not installed'

t.test('the smallest example', { skip }, async (t) => {
  const folder = await copyExample(t, 'minimal')
  const { address, child } = await start(t, folder, 'node', 'server.js')
  const page = { total: 1, limit: 5, skip: 0, data: [{ text: 'Hello', id: 1 }] }
  const answers = [{ text: 'Hello', id: 1 }, page, { text: 'Bye', id: 1 }, { text: 'Bye', id: 1 }]
  t.strictSame(await pasteAll(folder, address), answers)
  const bad = await fetch(`${address}/messages`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' }
  })
  t.equal(bad.status, 400)
  await stop(t, child)
  const lines = readFileSync(join(folder, 'server.js'), 'utf8').split('\n').filter(Boolean)
  t.ok(lines.length <= 15, `it has ${lines.length} lines`)
})

t.test('the example in CommonJS', { skip }, async (t) => {
  const folder = await copyExample(t, 'commonjs')
  const { address, child } = await start(t, folder, 'node', 'server.cjs')
  const [user, login, message, page, ...more] = await pasteAll(folder, address)
  t.strictSame([user, message, more], [{ email: 'ada@example.com', id: 1 }, { text: 'Hello', id: 1 }, []])
  t.match(login, { user: { id: 1 } })
  t.match(page, { total: 1, data: [{ text: 'Hello' }] })
  await stop(t, child)
})

t.test('the page on production shows the image of the blog as it is', async (t) => {
  const page = readFileSync(join(root, 'docs/testing-and-production.md'), 'utf8')
  t.ok(page.includes(`\`\`\`text\n${readFileSync(join(root, 'examples/blog/Dockerfile'), 'utf8')}\`\`\``))
})

t.test('the blog: compiled, visited by its own client, and by curl', { skip }, async (t) => {
  const folder = await copyExample(t, 'blog')
  t.match(await run(folder, 'npm', 'run', 'build', '--silent'), { code: 0, stdout: '' })
  const { address, child } = await start(t, folder, 'node', 'dist/main.js')
  const [user, login, post, published, picture, posts] = await pasteAll(folder, address)
  t.match([user, login], [{ name: 'Ada' }, { user: { name: 'Ada' } }])
  t.match(
    [post, published],
    [
      { title: 'Hello', words: 3, published: false },
      { id: 1, published: true }
    ]
  )
  t.match(
    [picture, posts],
    [
      { title: 'Notes', bytes: Number },
      { total: 1, data: [{ title: 'Hello' }] }
    ]
  )
  const [, check] = /^HEALTHCHECK CMD (.+)$/m.exec(readFileSync(join(folder, 'Dockerfile'), 'utf8')) ?? []
  const [node, ...script] = JSON.parse((check ?? '').replaceAll('127.0.0.1:3030', new URL(address).host))
  t.match(await run(folder, node, ...script), { code: 0 }, 'Docker finds it well')
  t.match(await run(folder, node, ...script.map((text: string) => text.replace('/health', '/none'))), { code: 1 })
  const visit = await run(folder, 'env', `BLOG=${address}`, 'npm', 'run', 'visit', '--silent')
  t.equal(visit.code, 0, visit.stderr)
  const lines = ['A visit: 3 words, published: true', 'Comments: Indeed', 'The sea: 5 bytes', '']
  const said = visit.stdout.split('\n')
  t.strictSame([...said.slice(0, 3), said.at(-1)], lines)
  t.match(said[3], /title/)
  await stop(t, child)
})
