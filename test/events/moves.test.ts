import { MemoryService } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { HookContext } from '../../index.js'
import { scope, within } from '../../lib/authentication/index.js'
import { list, memory, serviceAt, startEvents } from '../support/events-app.js'

const asPatched = (context: HookContext) => {
  context.event = 'patched'
}
const byHand = ({ method, params, data }: HookContext) => {
  const { roomId } = params.route as { roomId?: string }
  if (roomId === undefined) return
  if (method === 'create') Object.assign(data, { roomId: Number(roomId) })
  else params.query = { ...params.query, roomId: Number(roomId) }
}

/** Ways to say that a message belongs to the room of its path. */
const ways = {
  within: { field: 'roomId', around: { all: [within('rooms')] } },
  'within, by another field': { field: 'room', around: { all: [within('rooms', { field: 'room' })] } },
  'a hook by hand': { field: 'roomId', before: { all: [byHand] } }
}

for (const [name, { field, ...hooks }] of Object.entries(ways))
  t.test(`a record that moves below another parent: both places are told, and no other, by ${name}`, async (t) => {
    const register = async (app: FastifyInstance) => {
      const rooms = memory()
      await rooms.create([{}, {}, {}])
      app.service('rooms', rooms)
      app.service('rooms/:roomId/messages', memory(), { hooks } as never)
    }
    const path = 'rooms/:roomId/messages'
    const { app, subscribe, call } = await startEvents(t, register, { services: { [path]: { rule: 'hooks' } } })
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map((room) => subscribe(list(`rooms/${room}/messages`)).connected)
    )
    const { patch } = serviceAt(app, path) as unknown as {
      patch(id: number, data: object, params: object): Promise<unknown>
    }
    const told = async (stream: typeof first, number: number) =>
      (await stream?.count(number))?.map(({ event, data }) => [event, data])
    await call('POST', '/rooms/1/messages', { text: 'a' })
    await patch(1, { [field]: 2 }, { route: { roomId: '1' } })
    t.same(await told(first, 2), [
      ['created', { id: 1 }],
      ['changed', undefined]
    ])
    t.same(await told(second, 1), [['patched', { id: 1 }]])
    await call('PATCH', '/rooms/2/messages/1?$select[]=text', { text: 'b' })
    await call('PUT', '/rooms/2/messages/1', { text: 'c', [field]: 2 })
    await call('PATCH', '/rooms/2/messages/1', { text: 'd' })
    t.equal((await told(second, 4))?.length, 4)
    await call('DELETE', '/rooms/2/messages/1')
    t.same((await told(second, 5))?.[4], ['removed', { id: 1 }])
    await call('POST', '/rooms/1/messages', { text: 'end' })
    t.equal((await told(first, 3))?.length, 3, 'what happens in the other room is not told')
    t.same(third?.events, [])
    await call('POST', '/rooms/3/messages', { text: 'a' })
    t.same(await told(third, 1), [['created', { id: 3 }]])
  })

t.test('a custom method that moves a record says by its result where it is now', async (t) => {
  const register = async (app: FastifyInstance) => {
    const rooms = memory()
    await rooms.create([{}, {}, {}])
    app.service('rooms', rooms)
    const hooks = { around: { all: [within('rooms', { except: ['move'] })] }, before: { move: [asPatched] } }
    class Moving extends MemoryService {
      async move({ id, to, brief }: { id: number; to: number; brief?: true }) {
        const moved = await this._patch(id, { roomId: to })
        return brief ? { id } : moved
      }
    }
    app.service(
      'rooms/:roomId/messages',
      new Moving({ startId: 1 }) as never,
      {
        methods: ['find', 'get', 'create', 'move'],
        hooks
      } as never
    )
  }
  const { subscribe, call } = await startEvents(t, register, {
    services: { 'rooms/:roomId/messages': { rule: 'hooks' } }
  })
  const streams = await Promise.all([1, 2, 3].map((room) => subscribe(list(`rooms/${room}/messages`)).connected))
  const told = async (numbers: number[]) =>
    Promise.all(streams.map(async (stream, index) => (await stream.count(numbers[index] as number)).at(-1)?.event))
  const move = (url: string, data: object) => call('POST', url, data, { 'x-service-method': 'move' })
  await call('POST', '/rooms/1/messages', { text: 'a' })
  await move('/rooms/1/messages', { id: 1, to: 2 })
  t.same(await told([2, 1, 0]), ['changed', 'patched', undefined])
  await move('/rooms/2/messages', { id: 1, to: 3, brief: true })
  await told([2, 2, 1])
  t.same(
    streams.map(({ events }) => events.length > 1 || events.at(-1)?.event),
    [true, true, 'changed'],
    'one that does not say it makes all lists ask again'
  )
})

t.test('a place that a caller asks for is not one that hooks ask for', async (t) => {
  const create = async (data: object) => ({ ...data })
  const mine = scope(() => ({ kind: 'a' }))
  const { subscribe, call } = await startEvents(
    t,
    (app) =>
      app.service('rooms/:roomId/messages', { find: async () => [], create } as never, {
        hooks: { around: { find: [mine] } }
      }),
    { services: { 'rooms/:roomId/messages': { rule: 'hooks' } } }
  )
  const stream = await subscribe(list('rooms/1/messages', '&subscribe[0][query][roomId]=9')).connected
  await call('POST', '/rooms/2/messages', { id: 2, roomId: '9', kind: 'a' })
  await call('POST', '/rooms/1/messages', { id: 1, roomId: '9', kind: 'a' })
  t.match(await stream.count(1), [{ event: 'created', data: { id: 1 } }])
})
