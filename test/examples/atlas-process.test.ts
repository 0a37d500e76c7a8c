import { addressOf, demoHeaders, hasCurl, paste } from './atlas-commands.js'
import { Atlas, onEachDatabase } from './atlas-support.js'

const skip = !(await hasCurl()) && 'curl is not installed'
onEachDatabase('the process', async (t, options) => {
  const first = new Atlas(t, options)
  const commands = await first.commands()

  t.test('prints commands worth pasting', { skip }, async (t) => {
    const [find = '', get = '', notes = '', login = '', token = '', write = '', ...more] = commands
    t.strictSame(more, [])
    t.match(find, "/countries?region=Africa&landlocked=true&$sort[area]=-1&$limit=5&$select[]=name&$select[]=area'")
    t.match(await paste(find), {
      total: 16,
      limit: 5,
      skip: 0,
      data: [{ name: 'Chad', area: 1284000 }, {}, {}, {}, { name: 'Zambia', area: 752612 }]
    })
    t.match(await paste(get), { cca3: 'CHE', name: 'Switzerland' })
    t.match(await paste(notes), { total: 0, data: [] })
    const { accessToken, user } = await paste(login)
    t.match(user, { email: 'demo@example.com', name: 'Demo' })
    t.match(accessToken, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    const note = { id: 1, code: 'CHE', text: 'Four languages', author: user.id }
    t.match(await paste(token, write), note, 'all of it at once')
    t.match(await paste(`TOKEN=${accessToken}`, write), { ...note, id: 2 })
    t.match(await paste(write), { name: 'NotAuthenticated' }, 'and not without the token')
  })

  t.test('closes on a signal, and keeps its notes', async (t) => {
    const url = `${addressOf(commands)}/countries/CHE/notes`
    const { headers } = await demoHeaders(addressOf(commands))
    const written = await (await fetch(url, { method: 'POST', headers, body: '{"text":"kept"}' })).json()
    t.match(written, { text: 'kept' })
    t.match(await first.end('SIGINT'), { code: 0, err: '' })

    const second = new Atlas(t, options)
    const { port } = new URL(addressOf(await second.commands()))
    const { data } = (await (await fetch(url.replace(/:\d+/, `:${port}`))).json()) as { data: unknown[] }
    t.strictSame(data.at(-1), written)
    t.match(await second.end('SIGTERM'), { code: 0, err: '' })
  })
})
