import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hasCurl } from '../examples/atlas-commands.js'
import { askAll } from './addresses.js'
import { linkPackages } from './installed.js'
import { pack, run, temporaryFolder } from './pack.js'
import { root } from './sources.js'
import { pasteAll, start, stop } from './started.js'

const tarball = await pack(await temporaryFolder(t))

/** A copy of an example, with the packages that its `package.json` names, the packed one among them, and no others. */
async function copyExample(t: Test, name: string): Promise<string> {
  const folder = await temporaryFolder(t)
  await cp(join(root, 'examples', name), folder, { recursive: true })
  await linkPackages(t, folder, tarball)
  return folder
}

const thrower = "process.on('SIGWINCH', () => { throw new Error('Nobody catches it') })"

/** An example says why it ends, whether it could not start or has failed later, and ends with 1. */
async function fails(t: Test, folder: string, main: string): Promise<void> {
  const { address, child, said } = await start(t, folder, 'node', '--import', `data:text/javascript,${thrower}`, main)
  const { port } = new URL(address)
  const taken = await run(folder, 'env', `PORT=${port}`, 'node', main)
  t.match(taken, { code: 1, stderr: /EADDRINUSE/ }, 'the port is taken')
  t.match(await run(folder, 'env', 'PORT=abc', 'node', main), { code: 1, stderr: /port/ }, 'the port is none')
  child.kill('SIGWINCH')
  t.strictSame(await once(child, 'exit'), [1, null])
  t.match(await said(), /Nobody catches it/)
}

const skip = !(await hasCurl()) && 'curl is not installed'

t.test('the smallest example', { skip }, async (t) => {
  const folder = await copyExample(t, 'minimal')
  t.match(await run(folder, 'npm', 'run', 'build', '--silent'), { code: 0, stdout: '' })
  const { address, child } = await start(t, folder, 'node', 'dist/server.js')
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
  await fails(t, folder, 'dist/server.js')
  const linesOf = (file: string) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)
  const count = linesOf('app.ts').length + linesOf('server.ts').length
  t.ok(count <= 23, `it has ${count} lines`)
})

t.test('the example in CommonJS', { skip }, async (t) => {
  const folder = await copyExample(t, 'commonjs')
  const { address, child } = await start(t, folder, 'node', 'server.cjs')
  const [user, login, message, page, ...more] = await pasteAll(folder, address)
  t.strictSame([user, message, more], [{ email: 'ada@example.com', id: 1 }, { text: 'Hello', id: 1 }, []])
  t.match(login, { user: { id: 1 } })
  t.match(page, { total: 1, data: [{ text: 'Hello' }] })
  await stop(t, child)
  await fails(t, folder, 'server.cjs')
})

t.test('the page on production shows the image of the blog as it is', async (t) => {
  const page = readFileSync(join(root, 'docs/production.md'), 'utf8')
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
  await askAll(
    t,
    address,
    readFileSync(join(folder, 'README.md'), 'utf8'),
    { authorization: `Bearer ${login?.accessToken}` },
    { '/authentication': 405, '/posts/1/publish': 405 }
  )
  const send = async (method: string, path: string, data?: object) => {
    const headers = {
      authorization: `Bearer ${login?.accessToken}`,
      ...(data && { 'content-type': 'application/json' })
    }
    const response = await fetch(address + path, { method, headers, body: data ? JSON.stringify(data) : null })
    return [response.status, ((await response.json()) as { name?: string }).name]
  }
  const ada = { email: 'ADA@example.com', name: 'Other', password: 'correct horse' }
  t.strictSame(await send('POST', '/users', ada), [409, 'Conflict'])
  t.strictSame(await send('POST', '/users', { ...ada, email: 'Bob@example.com' }), [201, 'Other'])
  t.strictSame(await send('PATCH', '/users/1', { email: 'BOB@example.com' }), [409, 'Conflict'])
  t.strictSame(await send('PATCH', '/users/1', { email: 'Ada@example.com' }), [200, 'Ada'])
  const { password } = ada
  t.match(await send('POST', '/authentication', { strategy: 'local', email: ada.email, password }), [201])
  for (const path of ['/nowhere', '/posts/%zz', '/health/x'])
    t.match(await send('GET', path), [/40[04]/, /NotFound|BadRequest/], path)
  t.match(await send('DELETE', '/authentication'), [200])
  t.strictSame(await send('GET', '/users/1'), [401, 'NotAuthenticated'], 'the token has ended')
  const [, check] = /^HEALTHCHECK CMD (\[[^\]]+\])$/m.exec(readFileSync(join(folder, 'Dockerfile'), 'utf8')) ?? []
  const [node, ...script] = JSON.parse(
    (check ?? '').replace('\\\n', '').replaceAll('127.0.0.1:3030', new URL(address).host)
  )
  t.match(await run(folder, node, ...script), { code: 0 }, 'Docker finds it well')
  t.match(await run(folder, node, ...script.map((text: string) => text.replace('/health', '/none'))), { code: 1 })
  const visit = await run(folder, 'env', `BLOG=${address}`, 'npm', 'run', 'visit', '--silent')
  t.equal(visit.code, 0, visit.stderr)
  const lines = ['A visit: 3 words, published: true', 'Comments: Indeed', 'The sea: 5 bytes', '']
  const said = visit.stdout.split('\n')
  t.strictSame([...said.slice(0, 3), said.at(-1)], lines)
  t.match(said[3], /title/)
  await stop(t, child)
  await fails(t, folder, 'dist/main.js')
})
