import { changesById, trigger } from 'feathers-trigger'

/** What follows from a change of records. */
export async function run(t) {
  const on = t.hook.bind(t)
  const seen = []
  const follow = (options) => {
    const hook = trigger(options)
    const methods = { create: [hook], patch: [hook], update: [hook], remove: [hook] }
    return { before: methods, after: methods }
  }
  const action = ({ item, before }, { context }) => void seen.push([context.method, item.text, before?.text ?? null])
  const clear = (act) => async (served) => {
    seen.length = 0
    await act(served)
    return seen
  }
  await on(
    'an action for what is created',
    follow({ action }),
    clear(({ notes }) => notes.create([{ text: 'd' }, { text: 'e' }])),
    [
      ['create', 'd', null],
      ['create', 'e', null]
    ]
  )
  await on(
    'conditions on data, before and result',
    follow({
      method: 'patch',
      data: { text: 'z' },
      before: { text: 'a' },
      result: { userId: 1 },
      fetchBefore: true,
      action
    }),
    clear(async ({ send }) => {
      await send('PATCH', 'notes/1', { text: 'z' })
      await send('PATCH', 'notes/2', { text: 'z' })
    }),
    [['patch', 'z', 'a']]
  )
  await on(
    'the records of many',
    follow({ method: 'patch', result: { userId: 1 }, fetchBefore: true, action }),
    clear(({ notes }) => notes.patch(null, { text: 'z' })),
    [
      ['patch', 'z', 'a'],
      ['patch', 'z', 'c']
    ]
  )
  await on(
    'an action that calls another service',
    follow({
      method: 'create',
      action: ({ item }, { context: { app } }) => app.service('users').create({ name: item.text })
    }),
    async ({ notes, users }) => {
      await notes.create({ text: 'd' })
      return (await users.find()).length
    },
    3
  )
  await on(
    'batchAction',
    follow({ method: 'remove', batchAction: (changes, { path }) => void seen.push([path, changes.length]) }),
    clear(({ notes }) => notes.remove(null)),
    [['notes', 3]]
  )
  await on(
    'params of the call',
    follow({ method: 'create', params: { 'user.id': 1 }, action }),
    clear(async ({ notes }) => {
      await notes.create({ text: 'd' }, { user: { id: 1 } })
      await notes.create({ text: 'e' })
    }),
    [['create', 'd', null]]
  )
  await on(
    'an action that fails',
    follow({
      method: 'create',
      action: () => {
        throw new Error('No')
      }
    }),
    async ({ send }) => (await send('POST', 'notes', { text: 'd' }))[0],
    500
  )
  await on(
    'changesById, as an around hook',
    { around: { patch: [changesById((changes) => void seen.push(Object.keys(changes)), { fetchBefore: true })] } },
    clear(({ notes }) => notes.patch(2, { text: 'z' })),
    [['2']]
  )
}
