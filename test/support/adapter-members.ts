import type { HookContext } from 'fastify-services'
import type { Test } from 'tap'
import { type Adapter, eachDoor, failure, mount } from './adapter-doors.js'

type Call = (...args: unknown[]) => Promise<unknown>
type Message = { id: number; text: string }
const x = { text: 'x' }

/** The errors and events of an adapter, and what hooks find on the registered service. */
export async function membersContract(t: Test, adapter: Adapter): Promise<void> {
  await t.test('`multi` off: the adapter rejects the call', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      const calls = [
        ['create', [x, x], {}],
        ['patch', null, x, {}],
        ['remove', null, {}]
      ] as const
      for (const [method, ...args] of calls) {
        t.strictSame(await failure(door.call(method, ...args)), {
          name: 'MethodNotAllowed',
          message: `Can not ${method} multiple entries`,
          code: 405,
          className: 'method-not-allowed'
        })
      }
      t.equal(((await door.call('find', {})) as unknown[]).length, 4, 'nothing is changed')
    })
  )

  await t.test("NotFound of the adapter: 404 in the errors' shape", (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      const calls = [
        ['get', '99', {}],
        ['update', '99', x, {}],
        ['patch', '99', x, {}],
        ['remove', '99', {}]
      ] as const
      for (const [method, ...args] of calls) {
        t.strictSame(await failure(door.call(method, ...args)), {
          name: 'NotFound',
          message: "No record found for id '99'",
          code: 404,
          className: 'not-found'
        })
      }
    })
  )

  await t.test('events: once per record of an array result', (t) =>
    eachDoor(t, adapter, { multi: true }, async (t, door, { service }) => {
      const events: unknown[] = []
      for (const name of ['created', 'updated', 'patched', 'removed']) {
        service.on(name, ({ text }: Message, { path, method }: HookContext) => events.push([name, text, path, method]))
      }
      const next = () => events.splice(0).sort()
      await door.call('create', { text: 'five' }, {})
      t.strictSame(next(), [['created', 'five', 'messages', 'create']])
      await door.call('create', [{ text: 'six' }, { text: 'seven' }], {})
      t.strictSame(next(), [
        ['created', 'seven', 'messages', 'create'],
        ['created', 'six', 'messages', 'create']
      ])
      await door.call('update', '1', { text: 'ONE', author: 'ada' }, {})
      t.strictSame(next(), [['updated', 'ONE', 'messages', 'update']])
      await door.call('patch', null, { at: '2026-02-01' }, { query: { author: 'ada' } })
      t.strictSame(next(), [
        ['patched', 'ONE', 'messages', 'patch'],
        ['patched', 'three', 'messages', 'patch']
      ])
      await door.call('remove', null, { query: { author: 'ada' } })
      t.strictSame(next(), [
        ['removed', 'ONE', 'messages', 'remove'],
        ['removed', 'three', 'messages', 'remove']
      ])
      await door.call('find', {})
      await failure(door.call('get', '99', {}))
      await failure(door.call('remove', '99', {}))
      t.strictSame(next(), [], 'none for a call that reads, none for one that fails')
    })
  )

  if (adapter.isOfFeathers) await membersOfFeathers(t, adapter)
}

async function membersOfFeathers(t: Test, adapter: Adapter): Promise<void> {
  await t.test('hooks find the members of the adapter: `_find`, `_get`, `options`, `id`', (t) => {
    const members: object[] = []
    async function look({ service }: HookContext) {
      const { _find, _get, options, id } = service as unknown as {
        _find: Call
        _get: Call
        options: { multi: boolean }
        id: string
      }
      const all = (await _find({ query: {}, paginate: false })) as Message[]
      members.push({ count: all.length, first: await _get(1), multi: options.multi, id })
    }
    const options = { multi: true, paginate: { default: 2, max: 3 } }
    return eachDoor(
      t,
      adapter,
      options,
      async (t, door) => {
        await door.call('create', { text: 'five' }, {})
        t.match(members.splice(0), [{ count: 5, first: { id: 1, text: 'one' }, multi: true, id: 'id' }])
      },
      { hooks: { after: { create: [look] } } }
    )
  })

  await t.test('the private methods of the adapter run without hooks and events, and not over HTTP', async (t) => {
    const fail = () => {
      throw new Error('a hook or a listener ran')
    }
    const { app, service, url } = await mount(t, await adapter.create(t), { hooks: { around: { all: [fail] } } })
    service.on('created', fail)
    const { _create, _get } = app.service<Record<'_create' | '_get', Call>>('messages')
    const { id } = (await _create({ text: 'five' })) as Message
    t.match(await _get(id), { id, text: 'five' })
    const headers = { 'content-type': 'application/json', 'x-service-method': '_create' }
    const response = await fetch(url, { method: 'POST', headers, body: '{"text":"six"}' })
    t.equal(response.status, 405)
  })
}
