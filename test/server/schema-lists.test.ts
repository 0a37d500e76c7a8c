import t from 'tap'
import { createApp } from '../support/response-app.js'

const id = { type: 'object', properties: { id: { type: 'string' } } }
const schemas: Record<string, object> = {
  'an object': id,
  'an object with a field that it must have': { ...id, required: ['id'] },
  'an object or null': { ...id, type: ['object', 'null'] },
  'one of several': { anyOf: [{ ...id, required: ['id'] }, { type: 'string' }] },
  'a definition': { $ref: '#/definitions/one', definitions: { one: id } },
  'a definition in $defs': { type: 'object', properties: { a: { $ref: '#/$defs/one' } }, $defs: { one: id } },
  'an object that may hold others of its kind': { type: 'object', properties: { id: {}, a: { $ref: '#' } } },
  'an object with an $id': { ...id, $id: 'https://example.com/record' },
  anything: {}
}
const record = { id: 1, secret: 's' }
const toJSON = () => ({ id: 9, secret: 's' })
const values = [record, {}, null, undefined, 'a', 1, 1n, new Date(0), [1], { toJSON }, { a: { id: 1, a: record } }]

for (const [name, response] of Object.entries(schemas)) {
  t.test(`each record of a list is serialized as it is alone: ${name}`, async (t) => {
    let value: unknown
    // The list that `get` answers is serialized record by record.
    const list = async () => [record, value]
    const page = async () => ({ total: 2, data: await list() })
    const app = await createApp(t, {
      service: {
        find: async ({ query }: { query: object }) => ('page' in query ? page() : list()),
        get: list
      },
      options: { schema: { find: { response }, get: { response } } },
      plugin: { errorHandler: { logger: false } }
    })
    for (value of values) {
      const urls = ['', '?page=1', '/1']
      const [whole, paged, single] = await Promise.all(urls.map((url) => app.inject(`/things${url}`)))
      const text = `${String(value)} ${single?.body.slice(0, 60)}`
      const body = single?.body.replace('things.get:', 'things.find:')
      t.strictSame([whole?.statusCode, whole?.body], [single?.statusCode, body], text)
      if (single?.statusCode !== 200) continue
      t.equal(paged?.body, `{"total":2,"data":${single.body}}`, text)
    }
  })
}
