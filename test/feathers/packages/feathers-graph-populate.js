import init, {
  definePopulates,
  paramsFromClient,
  populate,
  populateUtil,
  shallowPopulate
} from 'feathers-graph-populate'
import { serve } from './serve.js'

const populates = definePopulates({
  user: { service: 'users', nameAs: 'user', keyHere: 'userId', keyThere: 'id', asArray: false },
  siblings: { service: 'notes', nameAs: 'siblings', keyHere: 'userId', keyThere: 'userId', asArray: true }
})
const namedQueries = { withUser: { user: {} }, deep: { user: {}, siblings: { user: {} } } }
const names = (notes) => notes.map(({ user }) => user.name)

/** Records of other services beside those of one. */
export async function run(t) {
  const on = t.hook.bind(t)
  const after = (hook) => ({ after: { all: [hook] } })
  await on(
    'shallowPopulate',
    after(
      shallowPopulate({
        include: { service: 'users', nameAs: 'user', keyHere: 'userId', keyThere: 'id', asArray: false }
      })
    ),
    async ({ notes }) => names(await notes.find()),
    ['Ada', 'Bob', 'Ada']
  )
  await on(
    'populate, by a query of the server',
    after(populate({ populates, namedQueries })),
    async ({ notes }) => names(await notes.find({ $populateParams: { query: { user: {} } } })),
    ['Ada', 'Bob', 'Ada']
  )
  await on(
    'populate, by the name of a query that a client sends',
    { before: { all: [paramsFromClient('$populateParams')] }, ...after(populate({ populates, namedQueries })) },
    async ({ send }) => names((await send('GET', 'notes?_$client[_$populateParams][name]=withUser'))[1]),
    ['Ada', 'Bob', 'Ada']
  )
  await on(
    'populate, a query that a client sends itself',
    { before: { all: [paramsFromClient('$populateParams')] }, ...after(populate({ populates, namedQueries })) },
    async ({ send }) => (await send('GET', 'notes/1?_$client[_$populateParams][query][user][a]=1'))[1].user ?? null,
    null
  )
  await on(
    'populate, two levels',
    after(populate({ populates, namedQueries })),
    async ({ notes }) => {
      const { user, siblings } = await notes.get(1, { $populateParams: { name: 'deep' } })
      return [user.name, siblings.map(({ id, user }) => [id, user?.name ?? null])]
    },
    [
      'Ada',
      [
        [1, 'Ada'],
        [3, 'Ada']
      ]
    ]
  )
  await t.check(
    'populateUtil',
    async (side) => {
      const { notes } = await serve(side)
      const params = { $populateParams: { query: { user: {} } } }
      return names(await populateUtil(await notes.find(), { app: side.app, params, populates }))
    },
    ['Ada', 'Bob', 'Ada']
  )
  await t.check(
    'hooks of the application and of a service',
    async (side) => {
      side.app.configure(init({ allowUnnamedQueryForExternal: true }))
      side.app.graphPopulate.hooks({ before: { all: [() => ({ query: { $select: ['id', 'name'] } })] } })
      const { notes, users } = await serve(side, after(populate({ populates, namedQueries })))
      users.graphPopulate.hooks({ after: { all: [(params) => params] } })
      return (await notes.get(2, { $populateParams: { name: 'withUser' } })).user
    },
    { id: 2, name: 'Bob' }
  )
}
