import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { read, root } from '../package/sources.js'
import { compile, compilers } from '../support/compilers.js'
import { copyEmpty } from '../support/pglite.js'

t.setTimeout(900_000)
process.env.LOG_LEVEL = 'silent'

// The application that the Feathers CLI 5.0.50 (MIT, see test/types/feathers/LICENSE) generates (Koa, TypeScript, TypeBox, PostgreSQL, users who log in, messages), and the same on
// Fastify. It is CommonJS.
const [before, after] = ['before', 'after'].map((name) => join(root, 'test/types/feathers', name)) as [string, string]
const folder = join(root, 'dist/test/types/ported')
await rm(folder, { recursive: true, force: true })
await cp(after, folder, { recursive: true })
await mkdir(join(folder, 'node_modules'))
await symlink(root, join(folder, 'node_modules/fastify-services'), 'dir')

for (const compiler of compilers)
  t.test(`${compiler}: the ported application compiles`, async (t) => {
    t.strictSame(await compile(compiler, folder), { code: 0, stdout: '', stderr: '' })
  })

t.test('it runs: sign up, log in, messages, with the validators and resolvers of Feathers', async (t) => {
  // The database runs in the process, and has the tables that the migrations make.
  const data = t.testdir()
  await copyEmpty(data)
  const { code } = await transform(
    `import knex from 'knex'
    import PGlite from 'knex-pglite'
    import * as users from '../migrations/1_user.js'
    import * as messages from '../migrations/2_message.js'
    export const postgresql = (app) => {
      const db = knex({ client: PGlite.default ?? PGlite, dialect: 'postgres', connection: { filename: ${JSON.stringify(data)} } })
      app.decorate('postgresqlClient', db)
      app.addHook('onReady', async () => { await users.up(db); await messages.up(db) })
      app.addHook('onClose', () => db.destroy())
    }`,
    { format: 'cjs' }
  )
  await writeFile(join(folder, 'lib/postgresql.js'), code)
  for (const name of ['1_user', '2_message']) {
    const { code } = await transform(await readFile(join(folder, `migrations/${name}.ts`)), {
      loader: 'ts',
      format: 'cjs'
    })
    await writeFile(join(folder, `migrations/${name}.js`), code)
  }
  const { createApp } = (await import(pathToFileURL(join(folder, 'lib/app.js')).href)) as {
    createApp(): Promise<FastifyInstance>
  }
  const app = await createApp()
  t.teardown(() => app.close())
  let token = ''
  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return [answer.statusCode, answer.json()] as const
  }

  const ada = { email: 'ada@example.com', password: 'correct horse' }
  t.same(await call('POST', '/users', ada), [201, { id: 1, email: ada.email }])
  t.same(await call('POST', '/users', { ...ada, email: 'bob@example.com' }), [201, { id: 2, email: 'bob@example.com' }])
  t.match(await call('POST', '/users', { email: 1 }), [400, { message: 'validation failed' }])
  t.match(await call('GET', '/messages'), [401, {}])
  t.match(await call('POST', '/authentication', { strategy: 'local', ...ada, password: 'wrong' }), [401, {}])
  const [status, login] = await call('POST', '/authentication', { strategy: 'local', ...ada })
  t.match([status, login], [201, { user: { id: 1, email: ada.email, password: undefined } }])
  token = login.accessToken
  t.match(await call('GET', '/users'), [200, { total: 1, data: [{ id: 1 }] }], 'only their own data')
  t.same(await call('POST', '/messages', { text: 'Hi' }), [201, { id: 1, text: 'Hi' }])
  t.match(await call('POST', '/messages', { txt: 'Hi' }), [400, { message: 'validation failed' }])
  t.same(await call('GET', '/messages?text=Hi&$limit=1'), [
    200,
    { total: 1, limit: 1, skip: 0, data: [{ id: 1, text: 'Hi' }] }
  ])
  t.match(await call('GET', '/messages?nobody=1'), [400, { message: 'validation failed' }])
  t.same(await call('PATCH', '/messages/1', { text: 'Ho' }), [200, { id: 1, text: 'Ho' }])
  t.same(await call('DELETE', '/messages/1'), [200, { id: 1, text: 'Ho' }])
})

/** How many lines of a file stay, in order. */
function countKept(one: string[], other: string[]): number {
  const rows = one.map(() => new Array<number>(other.length + 1).fill(0))
  rows.push(new Array<number>(other.length + 1).fill(0))
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      (rows[row] as number[])[column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  return at(0, 0)
}

t.test('the page says how many lines change', async (t) => {
  const lines = async (file: string) =>
    (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n').filter(Boolean)
  const files = (await readdir(before, { recursive: true })).filter((file) => /\.ts$/.test(file))
  t.same(
    (await readdir(after, { recursive: true })).filter((file) => /\.ts$/.test(file) && !files.includes(file)),
    [],
    'no file is new'
  )
  const counts = { total: 0, removed: 0, added: 0 }
  for (const file of files) {
    const [first, other] = await Promise.all([lines(join(before, file)), lines(join(after, file))])
    const same = countKept(first, other)
    counts.total += first.length
    counts.removed += first.length - same
    counts.added += other.length - same
  }
  const { total, removed, added } = counts
  t.match(read('docs/from-feathers.md'), `Of its ${total} lines, ${removed} go and ${added} are new.`)
})
