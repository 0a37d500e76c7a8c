import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { toMessage, works } from '../../bench/works.js'

const script = fileURLToPath(new URL('../../bench/main.js', import.meta.url))
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [script, ...args])

t.test('a benchmark that is not known is an error, before anything is counted', async (t) => {
  await t.rejects(bench('--only', 'nothing'), { code: 1, stderr: /There is no work 'nothing': they are get, find/ })
  await t.rejects(bench('--profile', 'nothing'), { code: 1 })
  await t.rejects(bench('--unknown', '1'), { code: 1 })
})

t.test('both servers of the benchmark give the same answers', async (t) => {
  const { createToken } = await import('../../bench/users.js')
  const token = await createToken()
  const sides = ['by-hand', 'ours'] as const
  const servers = await Promise.all(
    sides.map(async (side) => (await import(`../../bench/servers/${side}.js`)).start(0))
  )
  t.teardown(() => Promise.all(servers.map((server) => server.close())))
  for (const [name, work] of Object.entries(works)) {
    const { method = 'GET', url, body, status = 200 } = work
    const [headers = ''] = toMessage(work, token).split('\r\n\r\n')
    const entries = headers
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': '))
    const request = { method, url, headers: Object.fromEntries(entries), ...(body && { payload: body }) }
    const [byHand, ours] = await Promise.all(servers.map((server) => server.inject(request)))
    t.equal(byHand.statusCode, status, name)
    t.equal(ours.statusCode, status, name)
    t.equal(ours.body, byHand.body, name)
  }
})
