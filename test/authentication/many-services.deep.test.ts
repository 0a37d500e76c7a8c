import { fileURLToPath } from 'node:url'
import t from 'tap'
import { run } from '../package/pack.js'
import { root } from '../package/sources.js'

const program = fileURLToPath(new URL('counted-calls.js', import.meta.url))

async function countCalls(services: number): Promise<Record<string, number>> {
  const { stdout, stderr } = await run(root, 'node', '--no-opt', program, String(services))
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

t.test('a guarded call runs the same code among 300 services as among 2', async (t) => {
  const [few, many] = await Promise.all([countCalls(2), countCalls(300)])
  t.ok(Object.keys(few).length > 200, 'the calls were counted')
  t.strictSame(many, few)
  const lists = Object.keys(few).filter((place) => /^server\/registry\.js.* get entries$/.test(place))
  t.strictSame(lists, [], 'no call lists the services')
})
