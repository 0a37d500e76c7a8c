import * as common from 'feathers-hooks-common'
import { set } from '../serve.js'

/** A key of a database. */
class Key {
  constructor(text) {
    this.value = Number(text)
  }
}

const list = (records) => records.map(({ id }) => id)

/** Hooks that change the query and other params. */
export async function queries(t) {
  const on = t.hook.bind(t)
  const cached = new Map()
  let reads = 0
  const countReads = ({ result }) => {
    if (result === undefined) reads++
  }
  await on(
    'cache',
    {
      before: { all: [common.cache(cached)], get: [countReads] },
      after: { all: [common.cache(cached)] }
    },
    async ({ notes }) => {
      cached.clear()
      reads = 0
      await notes.get(1)
      const again = await notes.get(1)
      await notes.patch(1, { text: 'z' })
      return [again.text, reads, (await notes.get(1)).text, [...cached.keys()]]
    },
    ['a', 1, 'z', [1]]
  )
  await on(
    'callingParams',
    {
      before: {
        get: [
          set('params', (context) => ({
            ...context.params,
            mine: common.callingParams({ query: { a: 1 }, propNames: ['provider'] })(context)
          }))
        ]
      },
      after: { get: [set('result', (context) => context.params.mine)] }
    },
    ({ send }) => send('GET', 'notes/1'),
    [200, { query: { a: 1 }, provider: 'rest' }]
  )
  await on(
    'makeCallingParams',
    {
      after: {
        get: [set('result', (context) => common.makeCallingParams(context, { a: 1 }, [], { more: 2 }))]
      }
    },
    ({ notes }) => notes.get(1, { user: { id: 5 } }),
    { query: { a: 1 }, _populate: 'skip', more: 2 }
  )
  await on(
    'disablePagination',
    { before: { find: [common.disablePagination()] } },
    async ({ notes, send }) => [
      list(await notes.find({ query: { $limit: -1 } })),
      list((await send('GET', 'notes?$limit=-1'))[1])
    ],
    [
      [1, 2, 3],
      [1, 2, 3]
    ]
  )
  await on(
    'discardQuery',
    { before: { find: [common.discardQuery('text')] } },
    async ({ send }) => list((await send('GET', 'notes?text=zzz'))[1]),
    [1, 2, 3]
  )
  await on(
    'keepQuery',
    { before: { find: [common.keepQuery('text')] } },
    async ({ send }) => list((await send('GET', 'notes?text=b&userId=9'))[1]),
    [2]
  )
  await on(
    'keepQueryInArray',
    {
      before: {
        find: [set('query', (context) => context.params.query), common.keepQueryInArray('$and', ['text'])]
      }
    },
    async ({ notes }) => list(await notes.find({ query: { $and: [{ text: 'b', userId: 9 }] } })),
    [2]
  )
  await on(
    'mongoKeys',
    {
      before: {
        find: [
          common.mongoKeys(Key, ['userId']),
          set('params', ({ params }) => ({ ...params, query: { userId: params.query.userId.value } }))
        ]
      }
    },
    async ({ send }) => list((await send('GET', 'notes?userId=1'))[1]),
    [1, 3]
  )
  await on(
    'paramsForServer',
    {
      after: {
        get: [set('result', () => common.paramsForServer({ query: { a: 1 }, more: 2 }, 'more'))]
      }
    },
    ({ notes }) => notes.get(1),
    { query: { a: 1, $client: { more: 2 } } }
  )
  await on(
    'paramsFromClient',
    {
      before: { find: [common.paramsFromClient('more')] },
      after: { find: [set('result', (context) => [context.params.more ?? null, context.params.query])] }
    },
    ({ send }) => send('GET', 'notes?$client[more]=2&text=a'),
    [200, ['2', { text: 'a' }]]
  )
  await on(
    'setField',
    { before: { find: [common.setField({ from: 'params.user.id', as: 'params.query.userId' })] } },
    async ({ notes }) => list(await notes.find({ user: { id: 2 } })),
    [2]
  )
  await t.check(
    'setSlug',
    async (side) => {
      side.use(
        'users/:userId/slugs',
        { find: async ({ query }) => query },
        { hooks: { before: { find: [common.setSlug('userId')] } } }
      )
      const base = await side.listen()
      return (await fetch(`${base}/users/7/slugs`, { headers: { accept: 'application/json' } })).json()
    },
    { userId: '7' }
  )
  await on(
    'sifter',
    {
      after: {
        find: [
          common.sifter(
            () =>
              ({ id }) =>
                id > 1
          )
        ]
      }
    },
    async ({ notes }) => list(await notes.find()),
    [2, 3]
  )
  await on(
    'softDelete',
    { before: { all: [common.softDelete()] } },
    async ({ notes, send }) => {
      await send('DELETE', 'notes/1')
      return [
        list(await notes.find()),
        (await send('GET', 'notes/1'))[0],
        list(await notes.find({ disableSoftDelete: true }))
      ]
    },
    [[2, 3], 404, [1, 2, 3]]
  )
  await on(
    'stashBefore',
    {
      before: { patch: [common.stashBefore()] },
      after: { patch: [set('result', ({ result, params }) => ({ ...result, was: params.before.text }))] }
    },
    async ({ send }) => (await send('PATCH', 'notes/1', { text: 'z' }))[1].was,
    'a'
  )
}
