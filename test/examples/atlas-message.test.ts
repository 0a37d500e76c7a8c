import { addressOf, demoHeaders, hasCurl, paste } from './atlas-commands.js'
import { Atlas, onFolder } from './atlas-support.js'

onFolder('a demo user who has changed the password is not printed', async (t, options) => {
  const first = new Atlas(t, options)
  const address = addressOf(await first.commands())
  const { headers, id } = await demoHeaders(address)
  await fetch(`${address}/users/${id}`, { method: 'PATCH', headers, body: '{"password":"of somebody else"}' })
  await first.end('SIGTERM')

  const second = new Atlas(t, options)
  const commands = await second.commands()
  t.equal(commands.length, 4)
  t.notMatch(commands.join(), /demo@/)
  if (await hasCurl()) t.match(await paste(commands[3] ?? ''), { email: 'you@example.com', name: 'You' })
  await second.end('SIGTERM')
})
