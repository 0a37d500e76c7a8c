import { join } from 'node:path'
import t from 'tap'
import { type Compiler, compile } from '../support/compilers.js'
import { installIn } from '../support/install.js'
import { createConsumer } from './consumers.js'
import { pack, temporaryFolder } from './pack.js'
import { root } from './sources.js'

t.setTimeout(900_000)

const tarball = await pack(await temporaryFolder(t))
const resolvers: [kinds: string[], compiler: Compiler, ...options: string[]][] = [
  [['esm', 'jwt'], 'typescript', '--module', 'nodenext'],
  [['esm', 'jwt'], 'typescript', '--module', 'node20'],
  [['esm', 'jwt'], 'typescript', '--module', 'node16'],
  [['esm', 'jwt'], 'typescript', '--module', 'esnext', '--moduleResolution', 'bundler'],
  [['commonjs'], 'typescript', '--module', 'node20'],
  [['esm', 'jwt'], 'typescript-5.9', '--module', 'node16'],
  [['esm', 'jwt'], 'typescript-5.9', '--module', 'esnext', '--moduleResolution', 'node10', '--esModuleInterop'],
  [['commonjs'], 'typescript-5.9', '--module', 'nodenext'],
  [['esm', 'jwt'], 'typescript-5.4', '--module', 'nodenext'],
  [['browser'], 'typescript-5.4', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom']
]

await installIn(join(root, 'test/package/typescript-5.4'))

for (const [kinds, compiler, ...options] of resolvers)
  t.test(`${compiler} ${options.join(' ')}: ${kinds.join(' and ')} compile`, async (t) => {
    const folder = await createConsumer(t, tarball, ...kinds)
    const { code, stdout } = await compile(compiler, folder, '--noEmit', ...options)
    t.equal(code, 0, stdout)
  })
