import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

const events = ['created', 'updated', 'patched', 'removed'] as const

t.test('events of a call over HTTP: neither the record nor the dispatch has a protected field', async (t) => {
  const { send, things } = await createProtected(t, {})
  const emitted: unknown[] = []
  for (const event of events)
    things.on(event, (thing: unknown, context: HookContext) => {
      emitted.push([event, thing, context.dispatch, context.result])
    })
  for (const [verb, url] of [
    ['POST', '/things'],
    ['PUT', '/things/1'],
    ['PATCH', '/things/1'],
    ['DELETE', '/things/1']
  ] as const)
    await send(verb, url)
  t.strictSame(
    emitted,
    events.map((event) => [event, open(), open(), open()])
  )
})

t.test('events of a call of the server: the record has all fields, the dispatch has not', async (t) => {
  const { things } = await createProtected(t, {})
  const emitted: unknown[] = []
  things.on('created', (thing: unknown, context: HookContext) => emitted.push([thing, context.dispatch]))
  await things.create({})
  t.strictSame(emitted, [[record(), open()]])
})

t.test('events of a batch: one for each record, without protected fields', async (t) => {
  const { send, things } = await createProtected(t, { answer: () => [record(1), record(2)] })
  const emitted: unknown[] = []
  things.on('created', (thing: unknown) => emitted.push(thing))
  await send('POST', '/things')
  t.strictSame(emitted, [open(1), open(2)])
})

t.test('`reply.data` and `reply.hook` of after-middleware have no protected field', async (t) => {
  const seen: unknown[] = []
  const { app, send } = await createProtected(t, {})
  app.addHook('onSend', async (_request, reply) => {
    const { dispatch, result } = reply.hook ?? {}
    seen.push(reply.data, dispatch, result)
  })
  await send('GET', '/things/1')
  t.strictSame(seen, [open(), open(), open()])
})
