import Fastify from 'fastify'
import services, { BadRequest, resource } from 'fastify-services'
import t from 'tap'

const marker = 'MARKER-77a0'
const text = { type: 'string' }
const hidden = { ...text, writeOnly: true }
const settings = { theme: 'dark', key_mail: marker }
const ofSettings = (words: object) => ({ settings: { type: 'object', properties: { theme: text }, ...words } })
const ofList = (words: object) => ({ list: { type: 'array', ...words } })

/** What hides without a name: fields of a record, with a value for them. */
const kinds: Record<string, [fields: object, value: object]> = {
  patternProperties: [ofSettings({ patternProperties: { '^key_': hidden } }), { settings }],
  'patternProperties for all names': [ofSettings({ patternProperties: { '': hidden } }), { settings }],
  additionalProperties: [ofSettings({ additionalProperties: hidden }), { settings }],
  'a branch of a union': [
    {
      settings: {
        oneOf: ['a', 'b'].map((kind) => ({
          type: 'object',
          properties: { kind: { const: kind }, theme: text },
          ...(kind === 'a' && { additionalProperties: hidden })
        }))
      }
    },
    { settings: { ...settings, kind: 'a' } }
  ],
  'fields of items': [
    ofList({ items: { type: 'object', properties: { theme: text }, additionalProperties: hidden } }),
    { list: [settings] }
  ],
  items: [ofList({ items: hidden }), { list: [marker] }],
  'items of a tuple': [ofList({ prefixItems: [text, hidden] }), { list: ['a', marker] }],
  'items of lists': [ofList({ items: { type: 'array', items: hidden } }), { list: [[marker]] }]
}

for (const [kind, [fields, value]] of Object.entries(kinds)) {
  t.test(`what a rule hides without its name leaves nowhere: ${kind}`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { logger: false } })
    const record = { id: 1, ...value }
    const schema = resource(
      { type: 'object', properties: { id: { type: 'integer' }, ...fields } },
      { methods: { declared: { response: {} }, shown: { response: { type: 'object', properties: fields } } } }
    )
    const service = {
      get: async () => record,
      find: async () => ({ total: 1, data: [record], first: record, ...value }),
      remove: async () => {
        throw new BadRequest('locked', {
          record,
          ...value,
          errors: [{ instancePath: '/id', message: 'is locked', record }]
        })
      },
      declared: async () => ({ of: record, ...value }),
      shown: async () => record
    }
    app.service('things', service as object, { schema: schema as object })
    const headers = { accept: 'application/json' }
    const answers = [
      await app.inject({ url: '/things/1', headers }),
      await app.inject({ url: '/things', headers }),
      await app.inject({ method: 'DELETE', url: '/things/1', headers }),
      ...(await Promise.all(
        ['declared', 'shown'].map((name) =>
          app.inject({ method: 'POST', url: '/things', payload: {}, headers: { ...headers, 'x-service-method': name } })
        )
      ))
    ]
    t.strictSame(
      answers.map(({ statusCode }) => statusCode),
      [200, 200, 400, 200, 200]
    )
    for (const { body } of answers) t.notMatch(body, marker)
    t.match(answers[2]?.json(), { errors: [{ instancePath: '/id', message: 'is locked' }] }, 'what names a field stays')
  })
}

t.test('a name that a pattern hides is told of nothing else', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { logger: false } })
  const settings = { type: 'object', properties: { theme: text }, patternProperties: { '^key_': hidden } }
  const remove = async () => {
    throw new BadRequest('locked', { settings: { theme: 'dark', key_mail: marker }, reason: 'used' })
  }
  app.service('things', { remove } as object, {
    schema: resource({ type: 'object', properties: { settings } }) as object
  })
  const answer = await app.inject({ method: 'DELETE', url: '/things/1', headers: { accept: 'application/json' } })
  t.strictSame(answer.json().data, { settings: { theme: 'dark' }, reason: 'used' })
})
