import * as common from 'feathers-hooks-common'
import { parse } from 'graphql'
import { set } from '../serve.js'

const list = (records) => records.map(({ id }) => id)
const create =
  (data) =>
  async ({ notes }) =>
    notes.create(data)

/** Hooks that change results, and put records of others beside them. */
export async function joins(t) {
  const on = t.hook.bind(t)
  await on(
    'actOnDefault',
    { after: { get: [common.actOnDefault(common.discard('tags', 'userId'))] } },
    ({ notes }) => notes.get(1),
    { id: 1, text: 'a' }
  )
  await on(
    'actOnDispatch',
    {
      after: {
        get: [
          set('dispatch', (context) => ({ ...context.result })),
          common.actOnDispatch(common.discard('tags', 'userId'))
        ]
      }
    },
    async ({ notes, send }) => [Object.keys(await notes.get(1)), await send('GET', 'notes/1')],
    [
      ['id', 'text', 'userId', 'tags'],
      [200, { id: 1, text: 'a' }]
    ]
  )
  await on(
    'alterItems',
    { after: { find: [common.alterItems((note, { path }) => ({ ...note, path }))] } },
    async ({ notes }) => (await notes.find()).map(({ path }) => path),
    ['notes', 'notes', 'notes']
  )
  await on(
    'dePopulate',
    { before: { create: [common.dePopulate()] } },
    create({ text: 'a', more: 1, _include: ['more'], _elapsed: 1, _computed: [] }),
    { text: 'a', id: 4 }
  )
  await on(
    'fastJoin',
    {
      after: {
        all: [
          common.fastJoin((context) => ({
            joins: {
              user: () => async (note) => {
                note.user = await context.app.service('users').get(note.userId)
              }
            }
          }))
        ]
      }
    },
    async ({ notes }) => (await notes.find()).map(({ user }) => user.name),
    ['Ada', 'Bob', 'Ada']
  )
  await on(
    'fgraphql',
    {
      after: {
        all: [
          common.fgraphql({
            parse,
            runTime: {},
            recordType: 'Note',
            schema: 'type Note { id: ID text: String user: User } type User { id: ID name: String }',
            resolvers: (app) => ({
              Note: { user: (note, _args, content) => content.app.service('users').get(note.userId) },
              User: {},
              app
            }),
            query: { text: 1, user: { name: 1 } }
          })
        ]
      }
    },
    async ({ notes }) => {
      const { text, user } = await notes.get(2)
      return [text, user]
    },
    ['b', { name: 'Bob' }]
  )
  await on(
    'getItems',
    { after: { find: [set('result', (context) => list(common.getItems(context)))] } },
    ({ notes }) => notes.find(),
    [1, 2, 3]
  )
  await on(
    'populate',
    {
      after: {
        all: [
          common.populate({
            schema: { include: { service: 'users', nameAs: 'user', parentField: 'userId', childField: 'id' } }
          })
        ]
      }
    },
    async ({ notes }) => (await notes.find()).map(({ user }) => user.name),
    ['Ada', 'Bob', 'Ada']
  )
  await on(
    'replaceItems',
    { after: { find: [(context) => common.replaceItems(context, [{ id: 9 }])] } },
    ({ notes }) => notes.find(),
    [{ id: 9 }]
  )
  await on(
    'serialize',
    { after: { get: [common.serialize({ only: ['id'], computed: { path: (_note, { path }) => path } })] } },
    ({ notes }) => notes.get(1),
    { id: 1, path: 'notes', _computed: ['path'] }
  )
  await on(
    'traverse',
    {
      before: {
        create: [
          common.traverse(function (value) {
            if (typeof value === 'string') this.update(value.trim())
          })
        ]
      }
    },
    create({ text: ' a ', more: { text: ' b ' } }),
    { text: 'a', more: { text: 'b' }, id: 4 }
  )
}
