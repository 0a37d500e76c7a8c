import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { Atlas, onEachDatabase } from './atlas-support.js'

const run = promisify(execFile)
const curl = await run('curl', ['--version']).then(
  () => true,
  () => false
)

async function takePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

onEachDatabase('the process', async (t, options) => {
  const first = new Atlas(t, options)
  const commands = await first.commands()

  t.test('prints three commands worth pasting', { skip: !curl && 'curl is not installed' }, async (t) => {
    const answers = []
    for (const command of commands) answers.push(JSON.parse((await run('sh', ['-c', command])).stdout))
    t.equal(answers.length, 3)
    t.match(
      commands[0],
      "/countries?region=Africa&landlocked=true&$sort[area]=-1&$limit=5&$select[]=name&$select[]=area'"
    )
    t.match(answers, [
      {
        total: 16,
        limit: 5,
        skip: 0,
        data: [{ name: 'Chad', area: 1284000 }, {}, {}, {}, { name: 'Zambia', area: 752612 }]
      },
      { cca3: 'CHE', name: 'Switzerland' },
      { id: 1, code: 'CHE' }
    ])
  })

  t.test('lets no other process into its data folder', async (t) => {
    if (options.folder === undefined) return t.comment('a server is for many')
    const { code, out, err } = await new Atlas(t, options).end()
    t.equal(code, 1)
    t.equal(out, '')
    t.match(err, /^The atlas can't start\. The data folder .+ is in use by process \d+: .+\n$/)
  })

  t.test('closes on a signal, and keeps its notes', async (t) => {
    const address = (command = '') => /http:\/\/[^/]+/.exec(command)?.[0]
    const write = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"kept"}' }
    const written = await (await fetch(`${address(commands[0])}/countries/CHE/notes`, write)).json()
    t.match(await first.end('SIGINT'), { code: 0, err: '' })

    const second = new Atlas(t, options)
    const [command] = await second.commands()
    const { data } = await (await fetch(`${address(command)}/countries/CHE/notes`)).json()
    t.strictSame(data.at(-1), written)
    t.match(await second.end('SIGTERM'), { code: 0, err: '' })
  })

  t.test(
    'comes back after it was killed',
    { skip: options.folder === undefined && 'the server is not killed' },
    async (t) => {
      const killed = new Atlas(t, options)
      await killed.commands()
      await killed.end('SIGKILL')
      const second = new Atlas(t, options)
      await second.commands()
      t.match(await second.end('SIGTERM'), { code: 0, err: '' })
    }
  )
})

t.test('what is in the way of the start gets one line', async (t) => {
  const folder = t.testdir({ locked: {} })
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const { server, port } = await takePort()
  t.teardown(() => server.close())
  const closed = await takePort()
  await new Promise((resolve) => closed.server.close(resolve))

  const line = async (title: string, env: Record<string, string>, expected: string) => {
    const { code, out, err } = await new Atlas(t, { folder: join(folder, 'none', 'none') }, env).end()
    t.equal(code, 1, title)
    t.equal(out, '', title)
    t.match(err, /^The atlas can't start\. [^\n]+\n$/, title)
    t.match(err, expected, title)
    t.notMatch(err, /secret/, title)
  }
  await line(
    'taken port',
    { PORT: String(port) },
    `Port ${port} is taken: choose another one, as in PORT=${port + 1} npm start`
  )
  await line('no port', { PORT: 'http' }, "PORT is a number from 0 to 65535, not 'http'")
  await line('not this host', { HOST: '192.0.2.1' }, "Can't listen on port 0 of 192.0.2.1")
  await line('file in place of the data folder', { ATLAS_DATA: file }, `Can't write to the data folder ${file}`)
  await line('no folder to make it in', {}, `Can't write to the data folder ${join(folder, 'none', 'none')}: ENOENT`)
  const at = (rest: string) => ({ DATABASE_URL: `postgres://atlas:secret@${rest}` })
  await line('refused', at(`127.0.0.1:${closed.port}/x`), `connect ECONNREFUSED 127.0.0.1:${closed.port}`)
  await line('unknown host', at('nowhere.invalid/x'), "Can't use the database of DATABASE_URL: getaddrinfo E")
  await line('malformed', at('[nowhere/x'), "Can't use the database of DATABASE_URL: Invalid URL")
  await line('no address', { DATABASE_URL: 'secret' }, 'DATABASE_URL is no address of a PostgreSQL database')
  await line('another kind', { DATABASE_URL: 'mysql://atlas:secret@127.0.0.1/x' }, 'DATABASE_URL is no address')
  if (process.getuid?.() === 0) return t.comment('root may write into a folder without write permission')
  chmodSync(join(folder, 'locked'), 0o500)
  await line('no write permission', { ATLAS_DATA: join(folder, 'locked') }, 'EACCES: permission denied')
})

onEachDatabase('a database that does not exist', async (t, { url }) => {
  if (url === undefined) return t.comment('PGlite makes its own')
  const { code, err } = await new Atlas(t, { url: `${url}_not` }).end()
  t.equal(code, 1)
  t.match(err, /^The atlas can't start\. Can't use the database of DATABASE_URL: database ".+" does not exist\n$/)
})
