import Fastify from 'fastify'
import services, { BadRequest, resource } from 'fastify-services'
import t from 'tap'

const marker = 'MARKER-31c8'
const text = { type: 'string' }
const address = { type: 'object', properties: { city: text, code: { ...text, writeOnly: true } } }
const json = JSON.stringify({ city: 'Bern', code: marker })
const bytes = Buffer.from(json)
const headers = { accept: 'application/json' }

class Stored {
  readonly #text = json
  toJSON() {
    return this.#text
  }
}

class Stacked {
  toJSON() {
    return new Stored()
  }
}

/** What a database may give in the place of an object, with all of it. */
const values = {
  text: json,
  'text of a list': `[${json}]`,
  bytes,
  'typed array': new Uint8Array(bytes),
  'boxed text': Object(json),
  'object that is a text in JSON': new Stored(),
  'object that is an object in JSON': new Stacked(),
  'list of texts': [json, bytes, new Stored()],
  'list of lists': [[json]]
}

type Words = Record<string, unknown>
/** Where the object with a hidden field stands: the schema of the record, and a record with a value there. */
const places: Record<string, [words: Words, toRecord: (value: unknown) => Words]> = {
  field: [{ properties: { address } }, (value) => ({ address: value })],
  'open object': [
    { properties: { address: { ...address, additionalProperties: true } } },
    (value) => ({ address: value })
  ],
  'object or null': [
    { properties: { address: { anyOf: [address, { type: 'null' }] } } },
    (value) => ({ address: value })
  ],
  'no type': [{ properties: { address: { properties: address.properties } } }, (value) => ({ address: value })],
  items: [{ properties: { list: { type: 'array', items: address } } }, (value) => ({ list: [value] })],
  map: [
    { properties: { map: { type: 'object', additionalProperties: address } } },
    (value) => ({ map: { home: value } })
  ],
  pattern: [{ properties: {}, patternProperties: { '^at_': address } }, (value) => ({ at_home: value })],
  'further fields': [{ properties: {}, additionalProperties: address }, (value) => ({ home: value })]
}

for (const [place, [words, toRecord]] of Object.entries(places)) {
  t.test(`no text leaves in the place of an object that hides a field: ${place}`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { logger: false } })
    const schema = resource(
      { ...words, type: 'object', properties: { id: { type: 'integer' }, ...(words.properties as object) } },
      {
        methods: {
          open: { response: { type: 'object', properties: { id: {} }, additionalProperties: true } },
          any: { response: { type: 'object', properties: { id: {}, address: {}, list: {} } } }
        }
      }
    )
    let record: Words = {}
    const get = async () => record
    class Told extends BadRequest {
      override toJSON() {
        return { ...super.toJSON(), ...record }
      }
    }
    const service = {
      get,
      find: async () => ({ total: 1, data: [record], first: record, ...record }),
      remove: async (id: string) => {
        throw id === '2' ? new Told('locked') : new BadRequest('locked', { record, ...record, errors: [record] })
      },
      open: async () => ({ record, ...record }),
      any: get,
      hooked: get
    }
    app.service<object, string>('things', service as object, {
      schema: schema as object,
      methods: ['get', 'find', 'remove', 'open', 'any', 'hooked']
    })
    const call = (name: string) =>
      app.inject({ method: 'POST', url: '/things', payload: {}, headers: { ...headers, 'x-service-method': name } })
    for (const [kind, value] of Object.entries(values)) {
      record = { id: 1, ...toRecord(value) }
      const answers = [
        await app.inject({ url: '/things/1', headers }),
        await app.inject({ url: '/things', headers }),
        await app.inject({ method: 'DELETE', url: '/things/1', headers }),
        await app.inject({ method: 'DELETE', url: '/things/2', headers }),
        await call('open'),
        await call('any'),
        await call('hooked')
      ]
      t.strictSame(
        answers.map(({ statusCode }) => statusCode),
        [200, 200, 400, 400, 200, 200, 200],
        kind
      )
      for (const { body } of answers) {
        t.match(body, /"id":1/, kind)
        t.notMatch(body, marker, kind)
        t.notMatch(body, String(bytes[0]).concat(',', String(bytes[1])), `${kind}: as bytes`)
        t.notMatch(body, `"0":${bytes[0]}`, `${kind}: as a typed array`)
      }
    }
    // The object itself leaves without its hidden field.
    record = { id: 1, ...toRecord({ city: 'Bern', code: marker }) }
    for (const { body } of [await app.inject({ url: '/things/1', headers }), await call('hooked')]) {
      t.match(body, '"city":"Bern"')
      t.notMatch(body, marker)
    }
  })
}

t.test('texts that the schema allows beside such an object leave, and so do texts of other names', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { logger: false } })
  const properties = { id: { type: 'integer' }, address, author: { anyOf: [address, text] } }
  const schema = resource({ type: 'object', properties }, { methods: { open: { response: {} } } })
  const told = { author: 'ada', reason: 'used', at: new Date(0), bytes, address: { city: 'Bern', code: marker } }
  const remove = async () => {
    throw new BadRequest('locked', told)
  }
  const open = async () => ({ reason: 'used', address: { city: 'Bern' }, list: ['a'] })
  app.service<object, string>('things', { remove, open } as object, {
    schema: schema as object,
    methods: ['remove', 'open']
  })
  const { data } = (await app.inject({ method: 'DELETE', url: '/things/1', headers })).json()
  t.match(data, { author: 'ada', reason: 'used', at: '1970-01-01T00:00:00.000Z', bytes: { type: 'Buffer' } })
  t.strictSame(data.address, { city: 'Bern' })
  const answer = await app.inject({
    method: 'POST',
    url: '/things',
    payload: {},
    headers: { ...headers, 'x-service-method': 'open' }
  })
  t.strictSame(answer.json(), await open())
})

t.test('further fields of which a branch is hidden leave by no open answer', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { logger: false } })
  const branch = (kind: string) => ({ type: 'object', properties: { kind: { const: kind }, code: text } })
  const schema = resource(
    {
      type: 'object',
      properties: { id: { type: 'integer' } },
      additionalProperties: { oneOf: [{ ...branch('a'), writeOnly: true }, branch('b')] }
    },
    {
      methods: { open: { response: { type: 'object', properties: { id: {}, count: {} }, additionalProperties: true } } }
    }
  )
  const open = async () => ({
    id: 1,
    count: 2,
    pay: { kind: 'a', code: marker },
    text: JSON.stringify({ code: marker })
  })
  app.service<object, string>('things', { open } as object, { schema: schema as object, methods: ['open'] })
  const answer = await app.inject({
    method: 'POST',
    url: '/things',
    payload: {},
    headers: { ...headers, 'x-service-method': 'open' }
  })
  t.strictSame(answer.json(), { id: 1, count: 2 })
})
