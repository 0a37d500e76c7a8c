import { defineAbility } from '@casl/ability'
import { authorize, checkBasicPermission, feathersCasl } from 'feathers-casl'
import { serve } from './serve.js'

/** Users see the text of their own notes, and all of the first; they write theirs, one at a time. */
const abilityOf = (userId) =>
  defineAbility(
    (can, cannot) => {
      can('read', 'notes', ['id', 'text', 'userId'], { userId })
      can('create', 'notes', { userId })
      can('patch', 'notes', { userId })
      can('remove', 'notes', { userId })
      cannot('remove', 'notes', { id: 3 })
    },
    { resolveAction: (action) => ({ read: ['find', 'get'] })[action] ?? action }
  )

const setAbility = (context) => {
  const user = Number(context.params.headers?.['x-user'])
  if (user > 0) context.params.ability = abilityOf(user)
}
const casl = authorize()
const hooks = {
  before: { all: [setAbility, checkBasicPermission({ checkCreateForData: true, checkMultiActions: true }), casl] },
  after: { all: [casl] }
}

/** Permissions of requests and of calls of the server. */
export async function run(t) {
  const as = (user) => ({ 'x-user': String(user) })
  const on = (name, act, expected) => t.hook(name, hooks, act, expected)
  const list = ([status, notes]) => [status, notes.map(({ id }) => id)]

  await on(
    'find gives the records that the user may see',
    async ({ send }) => list(await send('GET', 'notes', undefined, as(1))),
    [200, [1, 3]]
  )
  await on('a record has the fields that the user may see', ({ send }) => send('GET', 'notes/1', undefined, as(1)), [
    200,
    { id: 1, text: 'a', userId: 1 }
  ])
  await on(
    'get of the record of another user',
    async ({ send }) => (await send('GET', 'notes/2', undefined, as(1)))[0],
    404
  )
  await on(
    'create of an own record',
    async ({ send }) => (await send('POST', 'notes', { text: 'd', userId: 1 }, as(1)))[0],
    201
  )
  await on(
    'create for another user',
    async ({ send }) => (await send('POST', 'notes', { text: 'd', userId: 2 }, as(1)))[0],
    403
  )
  await on(
    'patch of an own record, and of another',
    async ({ send }) => [
      (await send('PATCH', 'notes/1', { text: 'z' }, as(1)))[0],
      (await send('PATCH', 'notes/2', { text: 'z' }, as(1)))[0]
    ],
    [200, 404]
  )
  await on(
    'remove, where a rule forbids one',
    async ({ send }) => [
      (await send('DELETE', 'notes/3', undefined, as(1)))[0],
      (await send('DELETE', 'notes/1', undefined, as(1)))[0]
    ],
    [404, 200]
  )
  await on('many at once', async ({ send }) => (await send('PATCH', 'notes', { text: 'z' }, as(1)))[0], 403)
  await on(
    'a request without an ability, and a call of the server',
    async ({ send, notes }) => [(await send('GET', 'notes'))[0], (await notes.find()).length],
    [403, 3]
  )
  await t.check(
    'the options of the application',
    async (side) => {
      side.app.configure(
        feathersCasl({ authorizeHook: { checkAbilityForInternal: true, ability: () => abilityOf(2) } })
      )
      const { notes } = await serve(side, { before: { all: [authorize()] }, after: { all: [authorize()] } })
      return notes.find()
    },
    [{ id: 2, text: 'b', userId: 2 }]
  )
}
