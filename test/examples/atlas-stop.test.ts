import { once } from 'node:events'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { addressOf, demoHeaders } from './atlas-commands.js'
import { lockNotes } from './atlas-lock.js'
import { Atlas, onDatabase, onServer } from './atlas-support.js'
import { Way } from './atlas-way.js'

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

const head = 'GET / HTTP/1.1\r\nHost: localhost\r\n'
const post = 'POST /users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{'

onDatabase('connections that ask for nothing do not keep the process from stopping', async (t, options) => {
  const atlas = new Atlas(t, options, { SHUTDOWN_TIMEOUT: '600000' })
  const address = addressOf(await atlas.commands())
  await open(t, address, '')
  await open(t, address, 'G')
  await open(t, address, head)
  await open(t, address, `${head}\r\n`)
  atlas.signal('SIGTERM')
  t.match(await atlas.end('SIGINT'), { code: 0, err: '' }, 'nor does a second signal')
})

onDatabase('after the deadline the process ends', async (t, options) => {
  const atlas = new Atlas(t, options, { SHUTDOWN_TIMEOUT: '1000' })
  const address = addressOf(await atlas.commands())
  const socket = await open(t, address, post)
  const closed = once(socket, 'close')
  const { code, err } = await atlas.end('SIGTERM')
  t.equal(code, 1)
  t.equal(err, 'The atlas has not stopped within 1000 ms: it ends with 1 call unanswered\n')
  await closed
})

onServer('calls in flight are answered', async (t, { url }) => {
  const atlas = new Atlas(t, { url }, { SHUTDOWN_TIMEOUT: '600000', DATABASE_TIMEOUT: '60000' })
  const address = addressOf(await atlas.commands())
  const { headers } = await demoHeaders(address)
  const { knex, lock, untilOneWaits } = await lockNotes(t, url)
  const answer = fetch(`${address}/countries/CHE/notes`, { method: 'POST', headers, body: '{"text":"in flight"}' })
  await untilOneWaits()
  const silent = await open(t, address, '')
  atlas.signal('SIGTERM')
  await refusal(address)
  await lock.rollback()
  const { status } = await answer
  t.equal(status, 201)
  t.match(await atlas.end(), { code: 0, err: '' })
  t.match(await knex('notes').where('text', 'in flight').count(), [{ count: '1' }])
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
