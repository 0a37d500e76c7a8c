import { cp, mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { bin, pack, run, temporaryFolder } from './pack.js'
import { manifest, root } from './sources.js'

const consumers = join(root, 'test/package/consumer')
const tarball = await pack(await temporaryFolder(t))
const installed = ['fastify', '@types/node', 'undici-types', ...Object.keys(manifest.dependencies)]

/** A project that has the packed package, what that depends on, and nothing else: no types of our development dependencies. */
async function createConsumer(t: Test, ...kinds: string[]): Promise<string> {
  const folder = await temporaryFolder(t)
  const modules = join(folder, 'node_modules')
  for (const name of installed) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name), 'dir')
  }
  const unpacked = join(modules, 'fastify-services')
  await mkdir(unpacked)
  await run(unpacked, 'tar', '-xzf', tarball, '--strip-components=1')
  await cp(join(consumers, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  for (const kind of kinds) await cp(join(consumers, kind), join(folder, kind), { recursive: true })
  return folder
}

const record = { id: '1', text: 'hello' }
const answers = [[record], { record: { ...record, user: 'ada' } }, 'messages', 404]
type Application = [title: string, answers: unknown[]]
const applications: Record<string, Application> = {
  esm: ['an application in esm', answers],
  commonjs: ['an application in commonjs', answers],
  jwt: ['an application with @fastify/jwt of its own and authentication', ['acme', { authenticated: true }, 401]],
  user: ['an application with a `request.user` of its own and authentication', ['ADA@EXAMPLE.COM', '$scrypt$']]
}

// Two are compiled at once, where what one says of the types does not reach the other.
for (const kinds of [
  ['esm', 'jwt'],
  ['commonjs', 'user']
]) {
  const titles = kinds.map((kind) => (applications[kind] as Application)[0])
  t.test(`${titles.join(', and ')}: compile with every declaration checked, and run`, async (t) => {
    const folder = await createConsumer(t, ...kinds)
    t.match(await run(folder, bin('tsc')), { code: 0, stdout: /^$/ })
    for (const kind of kinds) {
      const [title, answers] = applications[kind] as Application
      const stdout = `${JSON.stringify(answers)}\n`
      t.match(await run(join(folder, kind), process.execPath, 'main.js'), { code: 0, stdout }, title)
    }
  })
}

t.test('a web page, which has the types of the DOM and none of Node, compiles with the client', async (t) => {
  const folder = await createConsumer(t, 'browser')
  t.match(await run(folder, bin('tsc'), '-p', 'browser'), { code: 0, stdout: /^$/ })
})
