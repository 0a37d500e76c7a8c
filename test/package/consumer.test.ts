import { cp, mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { bin, pack, run, temporaryFolder } from './pack.js'
import { manifest, root } from './sources.js'

const consumers = join(root, 'test/package/consumer')
const tarball = await pack(await temporaryFolder(t))
const installed = ['fastify', '@types/node', 'undici-types', ...Object.keys(manifest.dependencies)]

/** A project that has the packed package, what that depends on, and nothing else: no types of our development dependencies. */
async function createConsumer(t: Test, kind: string): Promise<string> {
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
  await cp(join(consumers, kind), folder, { recursive: true })
  return folder
}

for (const kind of ['esm', 'commonjs']) {
  t.test(`an application in ${kind} compiles with every declaration checked, and runs`, async (t) => {
    const folder = await createConsumer(t, kind)
    t.match(await run(folder, bin('tsc')), { code: 0, stdout: /^$/ })

    const record = { id: '1', text: 'hello' }
    const answers = [[record], { record: { ...record, user: 'ada' } }, 'messages', 404]
    t.match(await run(folder, process.execPath, 'main.js'), { code: 0, stdout: `${JSON.stringify(answers)}\n` })
  })
}

const besides: Record<string, [title: string, answers: unknown[]]> = {
  jwt: ['@fastify/jwt of its own', ['acme', { authenticated: true }, 401]],
  user: ['a `request.user` of its own', ['ADA@EXAMPLE.COM', '$scrypt$']]
}
for (const [kind, [title, answers]] of Object.entries(besides))
  t.test(`an application with ${title} compiles with authentication, and runs`, async (t) => {
    const folder = await createConsumer(t, kind)
    t.match(await run(folder, bin('tsc')), { code: 0, stdout: /^$/ })
    t.match(await run(folder, process.execPath, 'main.js'), { code: 0, stdout: `${JSON.stringify(answers)}\n` })
  })

t.test('a web page, which has the types of the DOM and none of Node, compiles with the client', async (t) => {
  const folder = await createConsumer(t, 'browser')
  t.match(await run(folder, bin('tsc'), '-p', folder), { code: 0, stdout: /^$/ })
})
