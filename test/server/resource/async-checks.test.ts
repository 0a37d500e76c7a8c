import { setImmediate } from 'node:timers/promises'
import { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

// A rejection that nobody handles ends the process, and fails a test.
const free = z.object({ name: z.string().refine(async (name) => (await setImmediate(name)) !== 'taken', 'is taken') })

t.test('a batch is refused while checks of other records wait', async (t) => {
  const { post } = await createEcho(t, resource(free))
  t.strictSame(await post([{ name: 'taken' }, {}]), [400, '[1].name is required'])
  t.strictSame(await post([{ name: 'taken' }, { name: 'taken' }]), [400, '[0].name: is taken'])
  await setImmediate()
})

t.test('an async check runs once, and may fail', async (t) => {
  let calls = 0
  const failing = async () => {
    calls += 1
    throw new Error('The database is away')
  }
  const { post } = await createEcho(t, resource(z.object({ name: z.string().refine(failing) })))
  t.strictSame(await post({ name: 'a' }), [500, 'The database is away'])
  t.equal(calls, 1)
  await setImmediate()
})
