import { spawn } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { run, temporaryFolder } from '../package/pack.js'
import { root } from '../package/sources.js'
import { installIn } from '../support/install.js'
import { readSections } from '../support/snippets.js'

/*
 * docs/authentication.md#login-with-better-auth, with Better Auth itself: its blocks are compiled, the server is started, and a browser and a program do what
 * the page says.
 */

const packages = join(root, 'test/better-auth')
await installIn(packages)

const page = readSections('docs/authentication.md')
const [auth, server] = page
  .filter(({ name }) => name.endsWith(': Login with Better Auth'))
  .flatMap(({ snippets }) => snippets.filter(({ language }) => language === 'ts').map(({ text }) => text)) as [
  string,
  string
]

const compilerOptions = {
  ...{ target: 'es2022', module: 'nodenext', types: ['node'], strict: true, noUncheckedIndexedAccess: true },
  ...{ verbatimModuleSyntax: true, skipLibCheck: true, outDir: 'dist' }
}

/** The server of the page in a folder of its own, where it finds the packages that the page names, and no others. */
async function createProject(t: Test): Promise<string> {
  const folder = await temporaryFolder(t)
  const link = async (name: string, from: string) => {
    const place = join(folder, 'node_modules', name)
    await mkdir(dirname(place), { recursive: true })
    await symlink(from, place, 'dir')
  }
  await link('better-auth', join(packages, 'node_modules/better-auth'))
  for (const name of ['fastify', '@feathersjs/memory', '@types/node'])
    await link(name, join(root, 'node_modules', name))
  await link('fastify-services', root)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await writeFile(join(folder, 'auth.ts'), auth)
  await writeFile(join(folder, 'server.ts'), server)
  const { code, stdout } = await run(folder, process.execPath, join(root, 'node_modules/typescript/bin/tsc'))
  t.equal(code, 0, `it compiles: ${stdout}`)
  return folder
}

/** Starts the server. `nextLink` gives the link of the mail that it would send next. */
async function start(t: Test, folder: string) {
  const port = 20_000 + (process.pid % 20_000)
  const base = `http://localhost:${port}`
  const env = { ...process.env, PORT: String(port), BASE_URL: base, AUTH_SECRET: 'Zt4v9yB1nQ8sLw2kXc7mRf3hJd6pGa5e' }
  const child = spawn(process.execPath, ['dist/server.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextWith = async (text: string) => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`It has ended before it said '${text}'`)
      if (value.includes(text)) return value
    }
  }
  await nextWith('listens')
  return { base, nextLink: () => nextWith('/magic-link/verify') }
}

/** A browser on a page of an origin: it keeps cookies, and says where its page is from. */
function browse(base: string, origin = base) {
  const jar = new Map<string, string>()
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(new URL(path, base), {
      method,
      redirect: 'manual',
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && { origin, 'sec-fetch-site': origin === base ? 'same-origin' : 'cross-site' }),
        cookie: [...jar].map((pair) => pair.join('=')).join('; ')
      },
      ...(body && { body: JSON.stringify(body) })
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value && !/max-age=0/i.test(cookie)) jar.set(name, value)
      else jar.delete(name)
    }
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      data: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
    }
  }
  return { jar, send }
}

t.setTimeout(900_000)

t.test('Better Auth logs in, and services know who calls', async (t) => {
  const { base, nextLink } = await start(t, await createProject(t))
  const ada = browse(base)
  t.equal((await ada.send('GET', '/notes')).status, 401)
  t.equal((await ada.send('POST', '/authentication', {})).status, 404)
  const password = 'correct horse'
  const signUp = await ada.send('POST', '/api/auth/sign-up/email', { name: 'Ada', email: 'ada@example.com', password })
  t.equal(signUp.status, 200)
  t.match([...ada.jar.keys()], ['better-auth.session_token'])
  const userId = signUp.data.user.id

  t.test('by the cookie', async (t) => {
    const note = await ada.send('POST', '/notes', { text: 'Hi' })
    t.strictSame([note.status, note.data], [201, { id: 1, text: 'Hi', userId }])
    t.strictSame((await ada.send('GET', '/notes')).data, [note.data])
    t.equal((await ada.send('POST', '/notes', { text: 'Hi', userId: 'other' })).status, 403, 'for themselves alone')
  })

  t.test('not from pages of other sites', async (t) => {
    const other = browse(base, 'https://evil.example')
    for (const [name, value] of ada.jar) other.jar.set(name, value)
    t.equal((await other.send('POST', '/notes', { text: 'Hi' })).status, 401)
    t.equal((await other.send('DELETE', '/notes/1')).status, 401)
    t.equal((await other.send('POST', '/api/auth/sign-out', {})).status, 403, 'Better Auth says so for its routes')
  })

  t.test('by a token, for programs', async (t) => {
    const program = browse(base)
    const login = await program.send('POST', '/api/auth/sign-in/email', { email: 'ada@example.com', password })
    const headers = { authorization: `Bearer ${login.headers.get('set-auth-token')}` }
    t.match(await (await fetch(`${base}/notes`, { headers })).json(), [{ text: 'Hi' }])
    t.equal((await fetch(`${base}/notes`, { headers: { authorization: 'Bearer nonsense' } })).status, 401)
    const wrong = await program.send('POST', '/api/auth/sign-in/email', {
      email: 'ada@example.com',
      password: 'wrong horse'
    })
    t.equal(wrong.status, 401)
  })

  t.test('by a magic link', async (t) => {
    const bob = browse(base)
    await bob.send('POST', '/api/auth/sign-in/magic-link', { email: 'bob@example.com', name: 'Bob' })
    t.equal((await bob.send('GET', '/notes')).status, 401)
    await bob.send('GET', await nextLink())
    t.strictSame((await bob.send('GET', '/notes')).data, [], 'another user has other notes')
    t.equal((await bob.send('GET', '/notes/1')).status, 404)
  })

  t.test('members of an organisation share what is in its scope', async (t) => {
    t.equal((await ada.send('GET', '/projects')).status, 403, 'who has chosen none sees nothing')
    const { data: organization } = await ada.send('POST', '/api/auth/organization/create', {
      name: 'Engines',
      slug: 'engines'
    })
    await ada.send('POST', '/api/auth/organization/set-active', { organizationId: organization.id })
    const project = await ada.send('POST', '/projects', { name: 'Analytical engine' })
    t.match(project, { status: 201, data: { name: 'Analytical engine', organizationId: organization.id } })

    const eve = browse(base)
    await eve.send('POST', '/api/auth/sign-up/email', { name: 'Eve', email: 'eve@example.com', password })
    const { data: others } = await eve.send('POST', '/api/auth/organization/create', { name: 'Others', slug: 'others' })
    await eve.send('POST', '/api/auth/organization/set-active', { organizationId: others.id })
    t.strictSame((await eve.send('GET', '/projects')).data, [])
    t.equal((await eve.send('GET', `/projects/${project.data.id}`)).status, 404)
  })

  t.test('after a log-out nobody is known', async (t) => {
    const cookies = new Map(ada.jar)
    t.equal((await ada.send('POST', '/api/auth/sign-out', {})).status, 200)
    t.equal((await ada.send('GET', '/notes')).status, 401)
    for (const [name, value] of cookies) ada.jar.set(name, value)
    t.equal((await ada.send('GET', '/notes')).status, 401, 'nor by the cookie of before')
  })
})
