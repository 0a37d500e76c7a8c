import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import rest from '@feathersjs/rest-client'
import { createPiniaClient } from 'feathers-pinia'
import { createPinia } from 'pinia'

const posts = () => ({ 1: { id: 1, title: 'a' }, 2: { id: 2, title: 'b' }, 3: { id: 3, title: 'c' } })

/** The store of Vue over HTTP. */
export async function run(t) {
  const on = (name, act, expected) =>
    t.check(
      name,
      async (side) => {
        side.use('posts', memory({ store: posts(), startId: 4, multi: true, paginate: { default: 2, max: 50 } }))
        const client = feathers().configure(rest(await side.listen()).fetch(fetch))
        return act(createPiniaClient(client, { pinia: createPinia(), idField: 'id' }).service('posts'))
      },
      expected
    )

  const titles = (records) => records.map(({ title }) => title)
  await on(
    'find, and the store has the page',
    async (service) => {
      const page = await service.find({ query: { $sort: { title: -1 } } })
      return [page.total, titles(page.data), titles(service.findInStore({ query: { $sort: { title: 1 } } }).data)]
    },
    [3, ['c', 'b', 'a'], ['a', 'b', 'c']]
  )
  await on(
    'get, and the store has the record',
    async (service) => {
      await service.get(1)
      return service.getFromStore(1).value.title
    },
    'a'
  )
  await on('findOne', async (service) => (await service.findOne({ query: { title: 'b' } })).id, 2)
  await on('count', async (service) => (await service.count({ query: {} })).total, 3)
  await on(
    'create',
    async (service) => {
      const { id } = await service.create({ title: 'd' })
      return [id, service.getFromStore(id).value.title]
    },
    [4, 'd']
  )
  await on('create of many', async (service) => titles(await service.create([{ title: 'd' }, { title: 'e' }])), [
    'd',
    'e'
  ])
  await on(
    'save, patch and remove of a record',
    async (service) => {
      const record = service.new({ title: 'd' })
      await record.save()
      const saved = record.id
      const { title } = await record.patch({ data: { title: 'z' } })
      await record.remove()
      return [saved, title, service.getFromStore(saved).value]
    },
    [4, 'z', null]
  )
  await on(
    'a change shows in queries of the store',
    async (service) => {
      await service.find({ query: { $limit: 3 } })
      const found = service.findInStore({ query: { title: 'z' } })
      await service.patch(2, { title: 'z' })
      return found.data.map(({ id }) => id)
    },
    [2]
  )
  await on('a record that does not exist', (service) => service.get(9), { error: 'NotFound', code: 404 })
}
