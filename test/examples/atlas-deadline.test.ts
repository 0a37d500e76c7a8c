import { addressOf, demoHeaders } from './atlas-commands.js'
import { lockNotes } from './atlas-lock.js'
import { Atlas, onServer } from './atlas-support.js'

onServer('a statement for a client that has left keeps the process until the deadline', async (t, { url }) => {
  const atlas = new Atlas(t, { url }, { SHUTDOWN_TIMEOUT: '1000', DATABASE_TIMEOUT: '600000' })
  const address = addressOf(await atlas.commands())
  const { headers } = await demoHeaders(address)
  const { untilOneWaits } = await lockNotes(t, url)

  const client = new AbortController()
  const call = { method: 'POST', headers, body: '{"text":"left"}', signal: client.signal }
  const left = fetch(`${address}/countries/CHE/notes`, call).catch(({ name }) => name)
  await untilOneWaits()
  client.abort()
  t.equal(await left, 'AbortError')

  const { code, err } = await atlas.end('SIGTERM')
  t.equal(code, 1)
  t.equal(
    err,
    'The atlas has not stopped within 1000 ms: it ends while the database is still at work, and no call waits\n'
  )
})
