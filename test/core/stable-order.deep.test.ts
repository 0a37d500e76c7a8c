import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services, { stableOrder } from 'fastify-services'
import t from 'tap'
import { pagesOf } from '../support/paged-ids.js'
import { openPGlite } from '../support/pglite.js'

t.test('pages of rows that PostgreSQL moves meanwhile neither repeat nor lose any', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table cities (id serial primary key, name text, seen int default 0)')
  await Model.raw('create table mayors (id serial primary key, city int, name text)')
  await Model('cities').insert(Array.from({ length: 9 }, () => ({ name: 'same' })))
  await Model('mayors').insert(Array.from({ length: 9 }, (_, index) => ({ city: index + 1, name: 'same' })))

  class WithMayors extends KnexService {
    override createQuery(params: object) {
      return super.createQuery(params).join('mayors', 'mayors.city', 'cities.id').select('mayors.name as mayor')
    }
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  const options = { Model, name: 'cities', paginate: { default: 2, max: 5 } }
  app.service('cities', new KnexService(options), { hooks: { around: { find: [stableOrder()] } } })
  app.service('any', new KnexService(options))
  app.service('joined', new WithMayors(options), { hooks: { around: { find: [stableOrder('cities.id')] } } })
  // PostgreSQL writes a new row, behind the others.
  let id = 0
  const move = () => Model.raw('update cities set seen = seen + 1 where id = ?', [++id])

  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  for (const url of ['/cities?', '/joined?', '/cities?$sort[name]=1', '/joined?$sort[seen]=1&seen=0']) {
    id = 0
    const between = url.includes('seen') ? undefined : move
    if (between === undefined) await Model('cities').update({ seen: 0 })
    t.same(await pagesOf(app, url, between), all, url)
  }
  t.same(await pagesOf(app, '/cities?$sort[name]=-1', move), all.toReversed())
  id = 0
  t.notSame((await pagesOf(app, '/any?', move)).sort(), all, 'without it, some come twice')
})
