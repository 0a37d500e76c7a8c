import * as common from 'feathers-hooks-common'
import { set } from '../serve.js'

const list = (records) => records.map(({ id }) => id)
const create =
  (data) =>
  async ({ notes }) =>
    notes.create(data)

/** Hooks that run others, and what they are asked. */
export async function conditions(t) {
  const on = t.hook.bind(t)
  await on(
    'checkContext',
    { before: { get: [(context) => common.checkContext(context, 'before', 'find', 'mine')] } },
    ({ notes }) => notes.get(1),
    { error: 'Error' }
  )
  await on(
    'checkContextIf',
    { before: { get: [(context) => common.checkContextIf(context, 'before', ['find'], 'mine')] } },
    ({ notes }) => notes.get(1),
    { error: 'Error' }
  )
  await on(
    'combine',
    {
      before: { create: [common.combine(common.setField({ from: 'path', as: 'data.path' }), common.lowerCase('text'))] }
    },
    create({ text: 'HI' }),
    { text: 'hi', path: 'notes', id: 4 }
  )
  await on(
    'debug',
    { before: { get: [common.debug('note', 'id')] } },
    async ({ notes }) => {
      const { log } = console
      const lines = []
      console.log = (...args) => lines.push(String(args[0]))
      try {
        await notes.get(1)
      } finally {
        console.log = log
      }
      return lines.some((line) => line.includes("before service('notes').get()"))
    },
    true
  )
  await on(
    'disallow',
    {
      before: { create: [common.disallow('external')], patch: [common.disallow('server')], remove: [common.disallow()] }
    },
    async ({ notes, send }) => {
      const outcome = (promise) =>
        promise.then(
          () => 'ok',
          ({ code }) => code
        )
      return [
        (await send('POST', 'notes', { text: 'a' }))[0],
        await outcome(notes.create({})),
        (await send('PATCH', 'notes/1', {}))[0],
        await outcome(notes.patch(1, {})),
        await outcome(notes.remove(1))
      ]
    },
    [405, 'ok', 200, 405, 405]
  )
  const answers = []
  await on(
    'every',
    {
      before: {
        get: [
          common.iff(
            common.every(() => true, common.isProvider('rest')),
            set('id', () => 2)
          )
        ]
      }
    },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id],
    [1, 2]
  )
  await on(
    'iff',
    {
      before: { create: [common.iff(common.isProvider('external'), common.setNow('at')).else(common.discard('text'))] }
    },
    async ({ notes, send }) => [
      await notes.create({ text: 'a' }),
      typeof (await send('POST', 'notes', { text: 'b' }))[1].at
    ],
    [{ id: 4 }, 'string']
  )
  await on(
    'iffElse',
    {
      before: {
        get: [common.iffElse(({ id }) => id === 1, [set('id', () => 2)], [set('id', () => 3)])]
      }
    },
    async ({ notes }) => list([await notes.get(1), await notes.get(2)]),
    [2, 3]
  )
  await on(
    'isNot',
    {
      before: {
        get: [
          common.iff(
            common.isNot(common.isProvider('rest')),
            set('id', () => 3)
          )
        ]
      }
    },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id],
    [3, 1]
  )
  await on(
    'isProvider',
    {
      before: {
        get: [
          (context) =>
            void answers.push(
              ...['server', 'external', 'rest', 'socketio'].filter((name) => common.isProvider(name)(context))
            )
        ]
      }
    },
    async ({ notes, send }) => {
      answers.length = 0
      await notes.get(1)
      await send('GET', 'notes/1')
      return answers
    },
    ['server', 'external', 'rest']
  )
  await on(
    'runHook',
    {},
    async ({ notes }) => {
      const result = await common.runHook({ result: await notes.find(), type: 'after' })(common.keep('id'))(
        await notes.find()
      )
      return result
    },
    [{ id: 1 }, { id: 2 }, { id: 3 }]
  )
  let parallel
  await on(
    'runParallel',
    { before: { get: [common.runParallel((context) => void parallel(context.path))] } },
    ({ notes }) =>
      new Promise((resolve, reject) => {
        parallel = resolve
        notes.get(1).catch(reject)
      }),
    'notes'
  )
  await on(
    'some',
    {
      before: {
        get: [
          common.iff(
            common.some(() => false, common.isProvider('rest')),
            set('id', () => 2)
          )
        ]
      }
    },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id],
    [1, 2]
  )
  await on(
    'unless',
    {
      before: {
        get: [
          common.unless(
            common.isProvider('server'),
            set('id', () => 2)
          )
        ]
      }
    },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id],
    [1, 2]
  )
  await on(
    'when',
    {
      before: {
        get: [
          common.when(
            ({ id }) => id === 1,
            set('id', () => 2)
          )
        ]
      }
    },
    async ({ notes }) => (await notes.get(1)).id,
    2
  )
}
