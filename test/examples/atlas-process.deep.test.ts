import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import type { DatabaseOptions } from '../../examples/atlas/database.js'
import { readSections } from '../support/snippets.js'
import { addressOf, demoHeaders, hasCurl, paste } from './atlas-commands.js'
import { lockTables } from './atlas-lock.js'
import { Atlas, onEachDatabase, onServer } from './atlas-support.js'
import { Way } from './atlas-way.js'

// Six stories of processes, each of which starts two or three of them.
t.setTimeout(900_000)

const head = 'GET / HTTP/1.1\r\nHost: localhost\r\n'
const skip = !(await hasCurl()) && 'curl is not installed'

// One story for each database, since a start of the process takes seconds of a core.
onEachDatabase('the process', async (t, options) => {
  const first = new Atlas(t, options, { SHUTDOWN_TIMEOUT: '600000' })
  const commands = await first.commands()
  const address = addressOf(commands)
  const { headers, id } = await demoHeaders(address)

  await t.test('the printed command and those of its README', { skip }, async (t) => {
    t.equal(commands.length, 1)
    t.match(await paste(commands[0] ?? ''), { total: 16, limit: 5, data: [{ name: 'Chad' }, {}, {}, {}, {}] })
    const readme = readSections('examples/atlas/README.md').flatMap(({ snippets }) => snippets)
    const text = readme.find(({ text }) => text.includes('TOKEN='))?.text.replaceAll('localhost:3030', address) ?? ''
    const [find = '', notes = '', ...write] = text.split('\n')
    t.match(await paste(find), { data: [{ name: 'Kazakhstan' }] })
    t.match(await paste(notes), { total: 1, data: [{ text: /^Four languages are official/, authorName: 'Demo' }] })
    t.match(await paste(...write), { id: 11, code: 'CHE', text: 'Four languages', author: id })
    t.match(await paste(write.at(-1) ?? ''), { name: 'NotAuthenticated' }, 'and not without the token')
  })

  if (options.folder !== undefined) await t.test('has its data folder for itself', (t) => isRefused(t as Test, options))

  const url = `${address}/countries/CHE/notes`
  const written = await (await fetch(url, { method: 'POST', headers, body: '{"text":"kept"}' })).json()
  t.match(written, { text: 'kept' })
  await fetch(`${address}/users/${id}`, { method: 'PATCH', headers, body: '{"password":"of somebody else"}' })

  t.comment('connections that ask for nothing do not keep it from stopping')
  for (const text of ['', 'G', head, `${head}\r\n`]) await open(t, address, text)
  t.match(await first.end('SIGTERM'), { code: 0, err: '' })

  const second = new Atlas(t, options)
  const next = await second.commands()
  const { port } = new URL(addressOf(next))
  const { data } = (await (await fetch(url.replace(/:\d+/, `:${port}`))).json()) as { data: unknown[] }
  t.strictSame(data.at(-1), written, 'it keeps its notes')

  const signUp = /^Sign up to write notes\. /m
  t.comment('a demo user who has changed the password is not printed')
  if (options.folder === undefined) return void t.match(await second.end('SIGINT'), { code: 0, err: '', out: signUp })

  t.match((await second.end('SIGKILL')).out, signUp)
  const third = new Atlas(t, options)
  await third.commands()
  t.match(await third.end('SIGTERM'), { code: 0, err: '' }, 'it comes back after it was killed')
})

async function isRefused(t: Test, options: DatabaseOptions): Promise<void> {
  const { code, out, err } = await new Atlas(t, options).end()
  t.equal(code, 1)
  t.equal(out, '')
  t.match(err, /^The atlas can't start: The data folder .+ is in use by process \d+: [^\n]+\n$/)
}

/** A connection that has sent this much, and the atlas has read it. */
async function open(t: Test, address: string, text: string) {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.on('error', () => {}).write(text)
  await (await fetch(address)).text()
  return socket
}

/** Waits until no connection is taken any more. */
async function refusal(address: string): Promise<void> {
  const isTaken = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1')
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  while (await isTaken());
}

onServer('calls in flight are answered', async (t, { url }) => {
  const atlas = new Atlas(t, { url }, { SHUTDOWN_TIMEOUT: '600000', DATABASE_TIMEOUT: '60000' })
  const address = addressOf(await atlas.commands())
  const { headers } = await demoHeaders(address)
  const { release, untilOneWaits } = await lockTables(t, url, 'atlas.notes')
  const answer = fetch(`${address}/countries/CHE/notes`, { method: 'POST', headers, body: '{"text":"in flight"}' })
  await untilOneWaits()
  const silent = await open(t, address, '')
  atlas.signal('SIGTERM')
  await refusal(address)
  await release()
  const { status } = await answer
  t.equal(status, 201)
  t.match(await atlas.end(), { code: 0, err: '' })
  silent.destroy()
})

onServer('a database that does not answer does not keep the process from stopping', async (t, { url }) => {
  const way = await Way.to(t, url)
  const atlas = new Atlas(t, { url: way.url }, { SHUTDOWN_TIMEOUT: '600000', DATABASE_TIMEOUT: '2000' })
  const address = addressOf(await atlas.commands())
  const get = () => fetch(`${address}/countries`).then(({ status }) => status)
  t.strictSame(await Promise.all([get(), get(), get()]), [200, 200, 200])
  const asked = way.freeze()
  const answers = [get(), get()]
  await asked
  atlas.signal('SIGTERM')
  t.strictSame(await Promise.all(answers), [503, 503])
  t.match(await atlas.end(), { code: 0, err: '' })
})
