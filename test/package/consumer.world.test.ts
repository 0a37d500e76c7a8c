import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { compile, compilers } from '../support/compilers.js'
import { createConsumer } from './consumers.js'
import { pack, run, temporaryFolder } from './pack.js'
import { root } from './sources.js'

t.setTimeout(900_000)

const tarball = await pack(await temporaryFolder(t))

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
    const folder = await createConsumer(t, tarball, ...kinds)
    t.match(await compile('typescript', folder), { code: 0, stdout: /^$/ })
    for (const kind of kinds) {
      const [title, answers] = applications[kind] as Application
      const stdout = `${JSON.stringify(answers)}\n`
      t.match(await run(join(folder, kind), process.execPath, 'main.js'), { code: 0, stdout }, title)
    }
  })
}

t.test('a web page, which has the types of the DOM and none of Node, compiles with the client', async (t) => {
  const folder = await createConsumer(t, tarball, 'browser')
  t.match(await compile('typescript', join(folder, 'browser')), { code: 0, stdout: /^$/ })
  const { stdout } = await compile('typescript', join(folder, 'browser'), '--listFilesOnly')
  t.match(stdout, /fastify-services\/dist\/lib\/client\/index\.d\.ts/)
  t.notMatch(stdout, /\/node_modules\/(fastify|@types\/node)\//, 'the types of Fastify and Node are not loaded')
})

// Each package of a monorepo has the declarations of the others: their types have to be names that a door exports.
for (const compiler of compilers)
  for (const module of ['nodenext', 'bundler'])
    t.test(
      `${compiler}, ${module}: packages of a monorepo write the types that they infer to declarations`,
      async (t) => {
        const folder = await createConsumer(t, tarball, 'monorepo')
        for (const name of ['zod', 'typebox'])
          await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir')
        const resolution = module === 'bundler' ? ['--module', 'esnext', '--moduleResolution', 'bundler'] : []
        for (const name of ['server', 'page']) {
          const outcome = await compile(compiler, join(folder, 'monorepo', name), ...resolution)
          t.match(outcome, { code: 0, stdout: /^$/ }, name)
        }
      }
    )
