import { rest } from 'fastify-services/client'
import t from 'tap'
import { createClientOfEcho } from '../support/client-app.js'

async function* numbers() {
  yield '1'
}

t.test('an async generator as data is refused, since it would be sent as an empty object', async (t) => {
  const { app, asked } = await createClientOfEcho(t)
  for (const data of [numbers(), { [Symbol.asyncIterator]: numbers }])
    await t.rejects(app.service('things').create(data as object as Record<string, unknown>), {
      name: 'Unavailable',
      cause: { message: "fetch can't send this: fetch sends streams" }
    })
  await app
    .service('things')
    .create({ [Symbol.asyncIterator]: numbers, toJSON: () => ({ a: 1 }) } as object as Record<string, unknown>)
  t.same(
    asked.map(({ body }) => body),
    ['{"a":1}'],
    'an object with a `toJSON` is data'
  )
})

t.test('the adapters are those of the list of libraries', async (t) => {
  t.same(Object.keys(rest('http://localhost')), ['fetch', 'axios', 'superagent', 'jquery', 'request'])
})
