import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { transform } from 'esbuild'
import type { Test } from 'tap'
import { temporaryFolder } from '../package/pack.js'
import { root } from '../package/sources.js'
import { compile } from './compilers.js'
import { installIn } from './install.js'
import { copyEmpty } from './pglite.js'

const folder = join(root, 'test/feathers')
const application = join(folder, 'app')

/** Finds packages, and the application, where it is installed. */
export const requireThere = createRequire(join(folder, 'package.json'))

// The database runs in the process.
const postgresql = `const { knex } = require('knex')
const client = require('knex-pglite')
const { PGlite } = require('@electric-sql/pglite')
exports.postgresql = (app) => {
  const pglite = new PGlite(process.env.PGLITE)
  app.set('postgresqlClient', knex({ client: client.default ?? client, connection: () => ({ pglite }) }))
}`

/** Installs and compiles the application. Its database is the one thing that is replaced. */
export async function build(t: Test): Promise<void> {
  await installIn(folder)
  const { code, stdout } = await compile('typescript-5.9', application)
  t.equal(code, 0, `the application compiles ${stdout}`)
  await writeFile(join(application, 'lib/postgresql.js'), postgresql)
  await mkdir(join(application, 'lib/migrations'), { recursive: true })
  for (const name of ['1_user', '2_message']) {
    const source = await readFile(join(application, `migrations/${name}.ts`))
    const { code } = await transform(source, { loader: 'ts', format: 'cjs' })
    await writeFile(join(application, `lib/migrations/${name}.js`), code)
  }
}

export interface Side {
  readonly base: string
  readonly child: ChildProcess
}

/** Starts the application, with an empty database: on `koa`, or `mounted`. */
export async function serve(t: Test, side: string): Promise<Side> {
  const data = await temporaryFolder(t)
  await copyEmpty(data)
  const child = fork(join(folder, 'serve.js'), [side], {
    cwd: application,
    // Passwords are not the subject.
    env: { ...process.env, PGLITE: data, NODE_CONFIG: '{"authentication":{"local":{"hashSize":4}}}' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  t.teardown(() => {
    if (child.connected) child.disconnect()
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { base: `http://127.0.0.1:${port}`, child }
}
