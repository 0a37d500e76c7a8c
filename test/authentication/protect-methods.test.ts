import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { createProtected, open, record, type Things } from '../support/auth-passwords-protect.js'
import { request } from '../support/host.js'

const calls: [verb: string, url: string, custom?: string][] = [
  ['GET', '/things'],
  ['GET', '/things/1'],
  ['POST', '/things'],
  ['PUT', '/things/1'],
  ['PUT', '/things'],
  ['PATCH', '/things/1'],
  ['PATCH', '/things'],
  ['DELETE', '/things/1'],
  ['DELETE', '/things'],
  ['POST', '/things', 'archive']
]
const answers: Record<string, [given: () => unknown, expected: unknown]> = {
  'a record': [() => record(), open()],
  'a list': [() => [record(1), record(2)], [open(1), open(2)]],
  'a page': [
    () => ({ total: 2, limit: 2, skip: 0, data: [record(1), record(2)] }),
    { total: 2, limit: 2, skip: 0, data: [open(1), open(2)] }
  ],
  'an empty page': [() => ({ total: 0, limit: 2, skip: 0, data: [] }), { total: 0, limit: 2, skip: 0, data: [] }],
  'an empty list': [() => [], []]
}

for (const [name, [given, expected]] of Object.entries(answers))
  t.test(`protect(...fields) keeps the fields out of ${name}, of every method`, async (t) => {
    const { send, things } = await createProtected(t, { answer: given })
    for (const [verb, url, custom] of calls)
      t.strictSame((await send(verb, url, custom)).body, expected, `${verb} ${url} ${custom ?? ''}`)

    const internal = [
      things.find(),
      things.get(1),
      things.create({}),
      things.update(1, {}),
      things.patch(1, {}),
      things.remove(1),
      things.archive({}, {})
    ]
    for (const result of await Promise.all(internal)) t.strictSame(result, given(), 'internal results keep them')
  })

t.test('protect(...fields) on a service in memory: batches, and what is stored', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const dispatched: unknown[] = []
  app.service('things', memory({ startId: 1, multi: true, paginate: { default: 5, max: 5 } }) as object, {
    hooks: {
      around: {
        all: [
          protect('secret'),
          async (context: HookContext, next) => {
            await next()
            dispatched.push(context.dispatch)
          }
        ]
      }
    }
  })
  const things = app.service('things') as unknown as Things
  const batch = [
    { name: 'Ada', secret: 'a' },
    { name: 'Bob', secret: 'b' }
  ]
  const created = await request(app, 'POST', '/things', { payload: batch })
  t.strictSame(created.body, [
    { name: 'Ada', id: 1 },
    { name: 'Bob', id: 2 }
  ])
  const page = await request(app, 'GET', '/things?$limit=1')
  t.strictSame(page.body, { total: 2, limit: 1, skip: 0, data: [{ name: 'Ada', id: 1 }] })
  t.match(await things.get(1), { secret: 'a' }, 'the stored record has it')
  t.match(await things.find(), { data: [{ secret: 'a' }, { secret: 'b' }] })
  t.match(await request(app, 'DELETE', '/things'), { body: { length: 2, 0: { secret: undefined } } })
})

t.test('protect(...fields) of an internal call: the dispatch has no such field, the result has', async (t) => {
  const seen: HookContext[] = []
  const { things } = await createProtected(t, {
    plugin: {
      hooks: {
        around: {
          all: [
            async (context, next) => {
              await next()
              seen.push(context as HookContext)
            }
          ]
        }
      }
    }
  })
  things.on('created', (_record, context) => seen.push(context))
  await things.create({})
  t.strictSame(seen.at(-1)?.dispatch, open())
  t.strictSame(seen.at(-1)?.result, record())
})
