import { setImmediate } from 'node:timers/promises'
import { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

// A rejection that nobody handles ends the process, and fails a test.
const free = z.object({ name: z.string().refine(async (name) => (await setImmediate(name)) !== 'taken', 'is taken') })

t.test('the faults of all records of a batch are told together, those of async checks too', async (t) => {
  const { post } = await createEcho(t, resource(free))
  t.strictSame(await post([{ name: 'taken' }, {}]), [400, '[0].name: is taken (and 1 more)'])
  t.strictSame(await post([{ name: 'free' }, { name: 'taken' }, { name: 'taken' }]), [
    400,
    '[1].name: is taken (and 1 more)'
  ])
  await setImmediate()
})

t.test('a batch ends with the error of a check while checks of other records wait', async (t) => {
  const jsonSchema = () => ({ type: 'object', properties: { name: { type: 'string' } } })
  const validate = (value: unknown) => {
    if ((value as { name: string }).name === 'first') return setImmediate({ issues: [{ message: 'is taken' }] })
    throw new Error('The database is away')
  }
  const standard = { version: 1, vendor: 'own', validate, jsonSchema: { input: jsonSchema, output: jsonSchema } }
  const schema = resource({ '~standard': standard } as never, { patch: z.object({}) })
  const { post } = await createEcho(t, schema)
  t.strictSame(await post([{ name: 'first' }, { name: 'second' }]), [500, 'The database is away'])
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
