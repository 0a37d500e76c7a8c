import type { HookContext } from 'fastify-services'
import type { Test } from 'tap'
import { type Adapter, eachDoor, mount } from './adapter-doors.js'

type Call = (...args: unknown[]) => Promise<unknown>
type Message = { id: number; text: string }

/** What hooks find on a registered adapter of Feathers. */
export async function membersOfFeathers(t: Test, adapter: Adapter): Promise<void> {
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
    const { app, service } = await mount(t, await adapter.create(t), { hooks: { around: { all: [fail] } } })
    service.on('created', fail)
    const { _create, _get } = app.service<Record<'_create' | '_get', Call>>('messages')
    const { id } = (await _create({ text: 'five' })) as Message
    t.match(await _get(id), { id, text: 'five' })
    const headers = { 'x-service-method': '_create' }
    const response = await app.inject({ method: 'POST', url: '/messages', headers, payload: { text: 'six' } })
    t.equal(response.statusCode, 405)
  })
}
