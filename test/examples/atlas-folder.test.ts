import { Atlas, onFolder } from './atlas-support.js'

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
