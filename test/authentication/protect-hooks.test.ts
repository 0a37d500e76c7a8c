import { Readable } from 'node:stream'
import type { AroundHook, HookContext, HookOptions } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import {
  afterwards,
  broken,
  createProtected,
  open,
  type ProtectedOptions,
  put,
  record
} from '../support/auth-passwords-protect.js'

const protection = { around: { all: [protect('secret', 'pin')] } }
const [result, dispatch] = [put({ result: record() }), put({ dispatch: record() })]
const early: AroundHook = async (context, next) => {
  context.dispatch = { id: 7, secret: 'early' }
  await next()
  context.dispatch = record()
}
const fail = () => Promise.reject(new Error('no'))
const answers: Record<string, HookOptions> = {
  'a cache: an around hook that does not call next': { around: { get: [result] } },
  'a cache: a before hook that sets the result': { before: { get: [result] } },
  'an after hook that sets the result': { after: { get: [result] } },
  'an around hook that sets dispatch before and after': { around: { get: [early] } },
  'an after hook that sets dispatch': { after: { get: [dispatch] } },
  'a before hook that sets dispatch': { before: { get: [dispatch] } },
  'an error hook that sets the result': { before: { get: [fail] }, error: { get: [result] } }
}

/** The same hooks in each place where they can stand. */
const places: Record<string, (hooks: HookOptions) => ProtectedOptions & { added?: HookOptions[] }> = {
  'added before': (hooks) => ({ hooks, added: [protection as HookOptions] }),
  'added after': (hooks) => ({ added: [hooks] }),
  'for all services': (hooks) => ({ plugin: { hooks: hooks as object } }),
  'of the service, with protect for all services': (hooks) => ({ hooks, plugin: { hooks: protection } })
}

for (const [name, hooks] of Object.entries(answers))
  for (const [place, options] of Object.entries(places))
    t.test(`protect stands outside of ${name}, ${place}`, async (t) => {
      const { added = [], ...hookOptions } = options(hooks)
      const { send, things } = await createProtected(t, hookOptions)
      for (const more of added) things.hooks(more as object)
      const { status, body } = await send('GET', '/things/1')
      t.strictSame([status, body], [200, open()])
      t.match(await things.get(1), { secret: 's3cret' }, 'the internal result keeps it')
    })

t.test('protect stands outside of hooks that are added while the server runs', async (t) => {
  const { app, send, things } = await createProtected(t, {})
  await app.ready()
  things.hooks({ around: { all: [put({ result: record(9) })] } })
  things.hooks({ after: { all: [put({ dispatch: record(8) })] } })
  t.strictSame((await send('GET', '/things/1')).body, open(9), 'the cache ends the call')
})

t.test('protect leaves what an outer hook can see, to a cache too', async (t) => {
  const cached: unknown[] = []
  const look = afterwards(({ result }) => cached.push(result))
  const { send } = await createProtected(t, { plugin: { hooks: { around: { all: [look] } } } })
  await send('GET', '/things/1')
  t.strictSame(cached, [record()], 'it stands outside of that, so a cache serves the server as well')
})

t.test('an error passes', async (t) => {
  const error = Object.assign(new Error('no'), { statusCode: 409 })
  const { send } = await createProtected(t, { answer: () => Promise.reject(error) })
  t.match(await send('GET', '/things/1'), { status: 409, body: { message: 'no' } })
})

const eventNames = ['created', 'updated', 'patched', 'removed'] as const

t.test('events of a call over HTTP: neither the record nor the dispatch has a protected field', async (t) => {
  const { send, things } = await createProtected(t, {})
  const emitted: unknown[] = []
  for (const event of eventNames)
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
    eventNames.map((event) => [event, open(), open(), open()])
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

t.test('protect: the dispatch of a call of the server is without the field, at any depth', async (t) => {
  const { things } = await createProtected(t, { answer: () => ({ users: [[record()]] }) })
  const contexts: HookContext[] = []
  things.on('created', (_record, context) => contexts.push(context))
  const setDispatch = afterwards((context) => put({ dispatch: context.params.query?.own })(context))
  things.hooks({ around: { create: [setDispatch] } })
  t.strictSame(await things.create({}), { users: [[record()]] })
  t.strictSame(contexts[0]?.dispatch, { users: [[open()]] })
  await things.create({}, { query: { own: [record()] } })
  t.strictSame(contexts[1]?.dispatch, [open()], 'that of a hook too')
})

t.test('protect: so is that of a read, for whoever has its context', async (t) => {
  const contexts: HookContext[] = []
  const { things } = await createProtected(t, { answer: (name) => (name === 'find' ? [record()] : record()) })
  const keep = afterwards((context) => void contexts.push(context))
  things.hooks({ around: { get: [keep], find: [keep] } })
  t.strictSame([await things.get(1), await things.find()], [record(), [record()]])
  t.strictSame(
    contexts.map(({ dispatch }) => dispatch),
    [open(), [open()]]
  )
})

t.test('protect: the dispatch of a call of the server disturbs it not', async (t) => {
  const stream = Readable.from([record()])
  const later = { toJSON: () => Readable.from([record()]) }
  for (const answer of [broken(), stream, Readable.toWeb(Readable.from([record()])), later, null]) {
    const { things } = await createProtected(t, { answer: () => answer })
    const seen: unknown[] = []
    things.on('created', (_record, context) => seen.push(context.dispatch))
    t.equal(await things.create({}).catch((error: Error) => error), answer)
    t.strictSame(seen, [null])
  }
  t.strictSame(await stream.toArray(), [record()], "a stream is its caller's alone")
})

t.test('protect without a field says what to do', async (t) => {
  t.throws(() => protect(), { message: "protect needs the name of a field: protect('password')" })
})

for (const type of ['before', 'after', 'error'])
  t.test(`protect as ${type} hook: the server does not start, and says why`, async (t) => {
    const { app } = await createProtected(t, { hooks: { [type]: { all: [protect('secret')] } } })
    await t.rejects(async () => void (await app.ready()), {
      message: `protect at 'things' is a hook for 'around', not for '${type}'`
    })
  })

for (const type of ['before', 'after'])
  t.test(`protect as ${type} hook that is added while the server runs: nothing leaves`, async (t) => {
    const { app, send, things } = await createProtected(t, { hooks: {} })
    await app.ready()
    things.hooks({ [type]: { all: [protect('secret', 'pin')] } })
    const { body } = await send('GET', '/things/1')
    t.notMatch(JSON.stringify(body), 's3cret')
  })
