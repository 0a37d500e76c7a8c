import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Atlas, onEachDatabase, onFolder } from './atlas-support.js'

const run = promisify(execFile)
const curl = await run('curl', ['--version']).then(
  () => true,
  () => false
)

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

  t.test('closes on a signal, and keeps its notes', async (t) => {
    const address = (command = '') => /http:\/\/[^/]+/.exec(command)?.[0]
    const write = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"kept"}' }
    const written = await (await fetch(`${address(commands[0])}/countries/CHE/notes`, write)).json()
    t.match(await first.end('SIGINT'), { code: 0, err: '' })

    const second = new Atlas(t, options)
    const [command] = await second.commands()
    const { data } = (await (await fetch(`${address(command)}/countries/CHE/notes`)).json()) as { data: unknown[] }
    t.strictSame(data.at(-1), written)
    t.match(await second.end('SIGTERM'), { code: 0, err: '' })
  })
})

onFolder('the process has its data folder for itself, and comes back after it was killed', async (t, options) => {
  const first = new Atlas(t, options)
  await first.commands()
  const { code, out, err } = await new Atlas(t, options).end()
  t.equal(code, 1)
  t.equal(out, '')
  t.match(err, /^The atlas can't start\. The data folder .+ is in use by process \d+: [^\n]+\n$/)

  await first.end('SIGKILL')
  const second = new Atlas(t, options)
  await second.commands()
  t.match(await second.end('SIGTERM'), { code: 0, err: '' })
})
