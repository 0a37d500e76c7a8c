import { join } from 'node:path'
import t from 'tap'
import { createConsumer } from './consumers.js'
import { pack, run, temporaryFolder } from './pack.js'
import { root } from './sources.js'

t.setTimeout(300_000)

const tarball = await pack(await temporaryFolder(t))
const newest = 'typescript'
const older = 'typescript-5.9'

const resolvers: [kinds: string[], compiler: string, ...options: string[]][] = [
  [['esm', 'jwt'], newest, '--module', 'nodenext'],
  [['esm', 'jwt'], newest, '--module', 'node20'],
  [['esm', 'jwt'], newest, '--module', 'node16'],
  [['esm', 'jwt'], newest, '--module', 'esnext', '--moduleResolution', 'bundler'],
  [['commonjs'], newest, '--module', 'node20'],
  [['esm', 'jwt'], older, '--module', 'node16'],
  [['esm', 'jwt'], older, '--module', 'esnext', '--moduleResolution', 'node10', '--esModuleInterop'],
  [['commonjs'], older, '--module', 'nodenext']
]

for (const [kinds, compiler, ...options] of resolvers)
  t.test(`${compiler} ${options.join(' ')}: ${kinds.join(' and ')} compile`, async (t) => {
    const folder = await createConsumer(t, tarball, ...kinds)
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
    const { code, stdout } = await run(folder, process.execPath, tsc, '-p', '.', '--noEmit', ...options)
    t.equal(code, 0, stdout)
  })
