import objectionService from 'feathers-objection'
import { Model } from 'objection'
import { database } from './database.js'
import { request } from './serve.js'

const service = objectionService.default ?? objectionService
const names = (people) => people.map(({ name }) => name)

/** An adapter of Feathers 4 over a database. */
export async function run(t) {
  const { knex } = await database()
  class People extends Model {
    static tableName = 'people'
    static relationMappings = {
      friends: {
        relation: Model.HasManyRelation,
        modelClass: People,
        join: { from: 'people.id', to: 'people.friendOf' }
      }
    }
  }
  People.knex(knex)
  const on = (name, act, expected, options = {}) =>
    t.check(
      name,
      async (side) => {
        await knex.schema.dropTableIfExists('people')
        await knex.schema.createTable('people', (table) => {
          table.increments('id')
          table.string('name')
          table.integer('friendOf')
        })
        const people = side.use(
          'people',
          service({ model: People, multi: true, allowedEager: 'friends', whitelist: ['$eager', '$ilike'], ...options })
        )
        const base = await side.listen()
        await people.create([{ name: 'Ada' }, { name: 'Bob', friendOf: 1 }, { name: 'Cem', friendOf: 1 }])
        return act((method, path, body) => request(`${base}/people${path}`, method, body), people)
      },
      expected
    )

  const ada = { id: 1, name: 'Ada', friendOf: null }
  await on('get', (send) => send('GET', '/1'), [200, ada])
  await on('get, inside', (_send, people) => people.get(1), ada)
  await on('find, sorted and cut', async (send) => names((await send('GET', '?$sort[name]=-1&$limit=2&$skip=1'))[1]), [
    'Bob',
    'Ada'
  ])
  await on(
    'find by operators',
    async (send) => names((await send('GET', '?$or[0][name][$in][0]=Ada&$or[1][name]=Cem&$sort[id]=1'))[1]),
    ['Ada', 'Cem']
  )
  await on('find with $select', (send) => send('GET', '?$select[]=name&name=Bob'), [200, [{ id: 2, name: 'Bob' }]])
  await on('find, a page', (send) => send('GET', '?$sort[id]=1'), [200, { total: 3, limit: 1, skip: 0, data: [ada] }], {
    paginate: { default: 1, max: 5 }
  })
  await on('find by an operator of its own', async (send) => names((await send('GET', '?name[$ilike]=a%25'))[1]), [
    'Ada'
  ])
  await on('records of a relation', async (send) => names((await send('GET', '/1?$eager=friends'))[1].friends), [
    'Bob',
    'Cem'
  ])
  await on('create', (send) => send('POST', '', { name: 'Dan' }), [201, { id: 4, name: 'Dan', friendOf: null }])
  await on('update', (send) => send('PUT', '/1', { name: 'Eva' }), [200, { ...ada, id: '1', name: 'Eva' }])
  await on('patch', (send) => send('PATCH', '/1', { name: 'Eva' }), [200, { ...ada, name: 'Eva' }])
  await on('patch of many', async (send) => names((await send('PATCH', '?friendOf=1', { name: 'Eva' }))[1]), [
    'Eva',
    'Eva'
  ])
  await on('remove', async (send) => [await send('DELETE', '/1'), (await send('GET', '/1'))[0]], [[200, ada], 404])
  await on(
    'remove of many',
    async (send, people) => [names((await send('DELETE', '?friendOf=1'))[1]), (await people.find()).length],
    [['Bob', 'Cem'], 1]
  )
}
