import { BadRequest } from 'fastify-services'
import t from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

const fail = () => {
  throw new BadRequest('No such file')
}
const results: [name: string, result: () => unknown, answer: [status: number, message: string]][] = [
  [
    'a stream that fails before its first item',
    async function* () {
      yield* []
      fail()
    },
    [400, 'No such file']
  ],
  ['a result that can not be serialized', () => ({ toJSON: fail }), [500, 'The result can not be serialized']]
]

for (const [name, result, answer] of results)
  for (const [where, after] of [
    ['without middleware after the call', []],
    ['behind middleware after the call', [async () => {}]]
  ] as const)
    t.test(`${name}, ${where}: its own error is the answer`, async (t) => {
      const app = await createApp(t, { service: { get: async () => result() }, options: { after } })
      const response = await getJSON(app, '/things/1')
      t.strictSame([response.statusCode, response.json().message], answer)
    })
