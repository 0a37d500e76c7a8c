import { join } from 'node:path'
import t from 'tap'
import { installIn } from '../support/install.js'
import { createConsumer } from './consumers.js'
import { pack, run, temporaryFolder } from './pack.js'
import { root } from './sources.js'

t.setTimeout(300_000)

const tarball = await pack(await temporaryFolder(t))
const newest = 'node_modules/typescript'
const older = 'node_modules/typescript-5.9'
// The README promises it. As a dependency of the project, it would take the place of `tsc`.
const oldest = 'test/package/typescript-5.4/node_modules/typescript'

const resolvers: [kinds: string[], compiler: string, ...options: string[]][] = [
  [['esm', 'jwt'], newest, '--module', 'nodenext'],
  [['esm', 'jwt'], newest, '--module', 'node20'],
  [['esm', 'jwt'], newest, '--module', 'node16'],
  [['esm', 'jwt'], newest, '--module', 'esnext', '--moduleResolution', 'bundler'],
  [['commonjs'], newest, '--module', 'node20'],
  [['esm', 'jwt'], older, '--module', 'node16'],
  [['esm', 'jwt'], older, '--module', 'esnext', '--moduleResolution', 'node10', '--esModuleInterop'],
  [['commonjs'], older, '--module', 'nodenext'],
  [['esm', 'jwt'], oldest, '--module', 'nodenext'],
  [['browser'], oldest, '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom']
]

await installIn(join(root, 'test/package/typescript-5.4'))

for (const [kinds, compiler, ...options] of resolvers)
  t.test(`${compiler} ${options.join(' ')}: ${kinds.join(' and ')} compile`, async (t) => {
    const folder = await createConsumer(t, tarball, ...kinds)
    const tsc = join(root, compiler, 'bin/tsc')
    const { code, stdout } = await run(folder, process.execPath, tsc, '-p', '.', '--noEmit', ...options)
    t.equal(code, 0, stdout)
  })
