import { KnexService } from '@feathersjs/knex'
import t from 'tap'
import type { HookContext } from '../../index.js'
import { list, memory, startEvents } from '../support/events-app.js'
import { openPGlite } from '../support/pglite.js'

/** Each organisation finds its own notes, and creates them. */
const scoped = (context: HookContext) => {
  const organisation = Number(context.params.headers?.['x-organisation'])
  if (context.method === 'create') Object.assign(context.data as object, { organisation })
  else context.params.query = { ...context.params.query, organisation }
}

t.test('who hears of a record does not rest on what a client selects under the name of another field', async (t) => {
  const Model = await openPGlite(t)
  await Model.schema.createTable('notes', (table) => {
    table.increments('id')
    for (const name of ['organisation', 'fake']) table.integer(name)
  })
  const archive = (context: HookContext) => void context.service.emit('archived', context.result, context)
  for (const records of [false, true]) {
    await Model('notes').truncate()
    const hooks = { before: { all: [scoped] }, after: { update: [archive] } }
    const { subscribe, call } = await startEvents(
      t,
      (app) =>
        app.service('notes', new KnexService({ Model, name: 'notes' }), { events: ['archived'], hooks } as never),
      { services: { notes: { records, rule: 'hooks' } } }
    )
    const [mine, others] = ['7', '9'] as const
    const [bob, eve] = [
      await subscribe(list('notes'), { 'x-organisation': mine }).connected,
      await subscribe(list('notes'), { 'x-organisation': others }).connected
    ]
    const change = async (method: string, url: string, ...selected: string[]) => {
      const select = selected.map((field) => `$select[]=${encodeURIComponent(field)}`).join('&')
      const payload = method === 'DELETE' ? undefined : { fake: 9, ...(method === 'PUT' && { organisation: 7 }) }
      const { body } = await call(method, `/notes${url}?${select}`, payload, { 'x-organisation': mine })
      return JSON.parse(body)
    }
    const { id } = await change('POST', '', 'organisation', 'fake as organisation')
    t.same(await change('PATCH', `/${id}`, 'fake as organisation'), { id, organisation: 9 }, 'the database does so')
    await change('PUT', `/${id}`, 'fake AS organisation')
    await change('DELETE', `/${id}`, 'id', 'fake as organisation')
    const changed = { path: 'notes', event: 'changed' }
    for (const stream of [bob, eve]) t.same(await stream.count(5), Array(5).fill(changed))
    const created = (id: number) => [{ path: 'notes', event: 'created', data: { id } }]
    await change('POST', '', 'organisation')
    await call('POST', '/notes?$select[]=organisation', {}, { 'x-organisation': others })
    for (const [stream, id] of [
      [bob, 2],
      [eve, 3]
    ] as const)
      t.match((await stream.count(6)).slice(5), created(id), 'fields that are selected by their names say whose it is')
  }
})

t.test('a record of which its author has selected a part is told whole, as `get` gives it', async (t) => {
  const { subscribe, call } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: { records: true } }
  })
  const stream = await subscribe(list('notes')).connected
  await call('POST', '/notes', { text: 'a' })
  await call('POST', '/notes?$select[]=text', { text: 'b' })
  await call('PATCH', '/notes/1?$select[]=text', { text: 'c' })
  await call('PATCH', '/notes/1', { text: 'd' })
  t.strictSame(
    (await stream.count(4)).map(({ event, data }) => [event, data]),
    [
      ['created', { text: 'a', id: 1 }],
      ['created', { text: 'b', id: 2 }],
      ['patched', { text: 'c', id: 1 }],
      ['patched', { text: 'd', id: 1 }]
    ]
  )
})
