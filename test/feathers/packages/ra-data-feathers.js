import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import rest from '@feathersjs/rest-client'
import ra from 'ra-data-feathers'

const posts = () =>
  Object.fromEntries(['c', 'a', 'b'].map((title, index) => [index + 1, { id: index + 1, title, userId: index % 2 }]))
const ids = ({ data, total }) => [total, data.map(({ id }) => id)]

/** The data provider of react-admin over HTTP. */
export async function run(t) {
  const on = (name, act, expected) =>
    t.check(
      name,
      async (side) => {
        side.use('posts', memory({ store: posts(), startId: 4, multi: true, paginate: { default: 10, max: 50 } }), {
          hooks: { before: { all: [toNumbers] } }
        })
        const client = feathers().configure(rest(await side.listen()).fetch(fetch))
        return act(ra.restClient(client, { usePatch: true }), client)
      },
      expected
    )

  const sort = { field: 'title', order: 'ASC' }
  await on(
    'GET_LIST',
    async (send) => ids(await send('GET_LIST', 'posts', { pagination: { page: 1, perPage: 2 }, sort, filter: {} })),
    [3, [2, 3]]
  )
  await on(
    'GET_LIST, the second page',
    async (send) => ids(await send('GET_LIST', 'posts', { pagination: { page: 2, perPage: 2 }, sort, filter: {} })),
    [3, [1]]
  )
  await on(
    'GET_LIST, a filter with an operator',
    async (send) => ids(await send('GET_LIST', 'posts', { sort, filter: { id: { $gt: 1 } } })),
    [2, [2, 3]]
  )
  await on('GET_ONE', async (send) => send('GET_ONE', 'posts', { id: 1 }), { data: { id: 1, title: 'c', userId: 0 } })
  await on('GET_MANY', async (send) => ids(await send('GET_MANY', 'posts', { ids: [1, 3] })), [2, [1, 3]])
  await on(
    'GET_MANY_REFERENCE',
    async (send) => ids(await send('GET_MANY_REFERENCE', 'posts', { target: 'userId', id: 1, sort })),
    [1, [2]]
  )
  await on('CREATE', async (send) => send('CREATE', 'posts', { data: { title: 'd' } }), { data: { title: 'd', id: 4 } })
  await on(
    'UPDATE',
    async (send) =>
      send('UPDATE', 'posts', { id: 1, data: { id: 1, title: 'z' }, previousData: { id: 1, title: 'c' } }),
    { data: { id: 1, title: 'z', userId: 0 } }
  )
  await on('UPDATE_MANY', async (send) => send('UPDATE_MANY', 'posts', { ids: [1, 2], data: { title: 'z' } }), {
    data: [1, 2]
  })
  await on('DELETE', async (send) => send('DELETE', 'posts', { id: 1 }), { data: { id: 1, title: 'c', userId: 0 } })
  await on('DELETE_MANY', async (send) => send('DELETE_MANY', 'posts', { ids: [1, 2] }), { data: [1, 2] })
  await on('a record that does not exist', async (send) => send('GET_ONE', 'posts', { id: 9 }), {
    error: 'NotFound',
    code: 404
  })
}

function toNumbers({ params: { query = {} } }) {
  for (const [key, value] of Object.entries(query)) {
    if (/^\d+$/.test(value)) query[key] = Number(value)
    else if (Array.isArray(value.$in)) value.$in = value.$in.map(Number)
    else if (value.$gt !== undefined) value.$gt = Number(value.$gt)
  }
}
