import { memory } from '@feathersjs/memory'
import * as utils from 'feathers-utils'
import { serve, set } from './serve.js'

const list = (records) => records.map(({ id }) => id)
const status = (promise) =>
  promise.then(
    () => 'ok',
    ({ code }) => code
  )
const addPath = (note, { context }) => {
  note.path = context.path
}
/** A hook that makes something of the context the result. */
const answer = (make) => set('result', make)

/** The hooks and helpers that look at a context, a service or an application. */
export async function run(t) {
  const on = t.hook.bind(t)

  await t.check(
    'checkMulti',
    async (side) => {
      const notes = side.use('notes', memory({ multi: ['create'] }), {
        hooks: { before: { all: [utils.checkMulti()] } }
      })
      await side.listen()
      return [await status(notes.create([{}])), await status(notes.patch(null, {})), await status(notes.remove(null))]
    },
    ['ok', 405, 405]
  )
  await on(
    'createRelated',
    { after: { create: [utils.createRelated({ service: 'users', data: ({ text }) => ({ name: text }) })] } },
    async ({ notes, users }) => {
      await notes.create([{ text: 'c' }, { text: 'd' }])
      return (await users.find()).map(({ name }) => name)
    },
    ['Ada', 'Bob', 'c', 'd']
  )
  await t.check(
    'removeRelated',
    async (side) => {
      const { notes, users } = await serve(
        side,
        {},
        {},
        {
          after: {
            remove: [utils.removeRelated({ service: 'notes', keyThere: 'userId', keyHere: 'id', blocking: true })]
          }
        }
      )
      await users.remove(1)
      return list(await notes.find())
    },
    [2]
  )
  for (const [action, expected] of [
    ['cascade', [[2, 2]]],
    [
      'set null',
      [
        [1, null],
        [2, 2],
        [3, null]
      ]
    ]
  ])
    await t.check(
      `onDelete, ${action}`,
      async (side) => {
        const { notes, users } = await serve(
          side,
          {},
          {},
          {
            after: {
              remove: [
                utils.onDelete({
                  service: 'notes',
                  keyThere: 'userId',
                  keyHere: 'id',
                  onDelete: action,
                  blocking: true
                })
              ]
            }
          }
        )
        await users.remove(1)
        return (await notes.find()).map(({ id, userId }) => [id, userId])
      },
      expected
    )
  await on(
    'forEach',
    { after: { find: [utils.forEach(addPath)] } },
    async ({ notes }) => (await notes.find()).map(({ path }) => path),
    ['notes', 'notes', 'notes']
  )
  await on(
    'parseFields',
    {
      before: { create: [utils.parseFields('date', { fields: ['at'] })] },
      after: { create: [answer(({ data }) => data.at instanceof Date)] }
    },
    ({ send }) => send('POST', 'notes', { at: '2020-01-01T00:00:00.000Z' }),
    [201, true]
  )
  await on(
    'runPerItem',
    {
      after: {
        create: [utils.runPerItem((note, { app }) => app.service('users').create({ name: note.text }), { wait: true })]
      }
    },
    async ({ notes, users }) => {
      await notes.create({ text: 'c' })
      return (await users.find()).length
    },
    3
  )
  await on(
    'setData',
    { before: { create: [utils.setData('params.user.id', 'userId')] } },
    async ({ notes }) => [
      (await notes.create({}, { user: { id: 2 } })).userId,
      await status(notes.create({}, { provider: 'rest' }))
    ],
    [2, 403]
  )
  await on(
    'paramsFromClient',
    {
      before: { find: [utils.paramsFromClient('more')] },
      after: { find: [answer(({ params }) => [params.more, params.query])] }
    },
    ({ send }) => send('GET', 'notes?_$client[more]=1&text=a'),
    [200, ['1', { text: 'a' }]]
  )
  await on(
    'paramsForServer',
    { before: { find: [utils.paramsForServer('more')] }, after: { find: [answer(({ params }) => params.query)] } },
    ({ notes }) => notes.find({ more: 1, query: { text: 'a' } }),
    { text: 'a', _$client: { more: 1 } }
  )
  await on(
    'getPaginate, isPaginated, isMulti',
    {
      after: {
        find: [
          answer((context) => [utils.getPaginate(context) ?? null, utils.isPaginated(context), utils.isMulti(context)])
        ]
      }
    },
    async ({ notes }) => [await notes.find(), await notes.find({ paginate: { default: 1 } })],
    [
      [null, false, true],
      [{ default: 1 }, true, true]
    ]
  )
  await on(
    'getItemsIsArray, setResultEmpty',
    {
      before: { remove: [(context) => void utils.setResultEmpty(context)] },
      after: { get: [answer((context) => utils.getItemsIsArray(context).isArray)] }
    },
    async ({ notes }) => [await notes.get(1), await notes.remove(null)],
    [false, []]
  )
  await on(
    'markHookForSkip, shouldSkip',
    {
      before: { all: [(context) => void utils.markHookForSkip('checkMulti', 'all', context)] },
      after: { all: [answer((context) => utils.shouldSkip('checkMulti', context))] }
    },
    ({ notes }) => notes.find(),
    true
  )
  await on(
    'mergeQuery, filterQuery',
    {
      before: {
        find: [
          set('params', ({ params, service }) => ({
            ...params,
            query: utils.mergeQuery(params.query, { userId: 1 }, { defaultHandle: 'intersect', service })
          }))
        ]
      }
    },
    async ({ notes }) => [
      list(await notes.find({ query: { text: 'c' } })),
      list(await notes.find({ query: { text: 'b' } }))
    ],
    [[3], []]
  )
  await t.check(
    'debounceMixin',
    async (side) => {
      side.app.configure(utils.debounceMixin({ default: { wait: 0 } }))
      const { notes } = await serve(side)
      return new Promise((resolve) => {
        notes.debouncedStore.add(1, async (app) => resolve((await app.service('notes').get(1)).text))
      })
    },
    'a'
  )
}
