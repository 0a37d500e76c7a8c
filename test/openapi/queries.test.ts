import { memory } from '@feathersjs/memory'
import { resource } from 'fastify-services'
import t from 'tap'
import { All, documentOf, operationsOf, type Part, parametersOf } from './app.js'

const record = {
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'integer' }, title: { type: 'string' }, words: { type: 'integer' } }
}

async function parametersIn(t: Part, find: object, service: object = new All()) {
  const document = await documentOf(t, (app) =>
    app.service('posts', service, { methods: ['find'], schema: { find } } as object)
  )
  return parametersOf(document, operationsOf(document)['GET /posts'])
}

t.test('brackets are said of each parameter that has them', async (t) => {
  const { find } = resource(record)
  const parameters = await parametersIn(t, find)
  t.strictSame(
    Object.entries(parameters).map(([name, { style, explode }]) => [name, style, explode]),
    [
      ['id', 'deepObject', true],
      ['id[$in]', 'form', true],
      ['id[$nin]', 'form', true],
      ['title', 'deepObject', true],
      ['title[$in]', 'form', true],
      ['title[$nin]', 'form', true],
      ['words', 'deepObject', true],
      ['words[$in]', 'form', true],
      ['words[$nin]', 'form', true],
      ['$or', 'form', true],
      ['$and', 'form', true],
      ['$limit', undefined, undefined],
      ['$skip', undefined, undefined],
      ['$sort', 'deepObject', true],
      ['$select', 'form', true]
    ]
  )
  t.match(parameters.words, {
    in: 'query',
    schema: {
      anyOf: [{ type: 'integer' }, { properties: { $gt: { type: 'integer' }, $in: undefined }, minProperties: 1 }]
    }
  })
  t.match(parameters['words[$in]'], {
    schema: { type: 'array', items: { type: 'integer' } }
  })
  t.match(parameters.$sort, { description: /-1 for descending/, schema: { properties: { words: { enum: [1, -1] } } } })
  t.match(parameters.$or.description, /must hold.*\. A client needs a serializer of nested queries/)
  t.strictSame([parameters.$or.example, parameters.$and.example], [[], []], 'Swagger UI makes up no condition')
  for (const name of ['$limit', '$skip', '$select', '$and']) t.match(parameters[name].description, /\w/, name)
})

t.test('a schema of a query of any shape', async (t) => {
  const querystring = {
    type: 'object',
    required: ['q'],
    properties: {
      q: { type: 'string', description: 'What to look for.' },
      place: { $ref: '#/definitions/place' },
      ids: { type: ['array', 'null'], items: { type: 'integer' } },
      range: { anyOf: [{ type: 'string' }, { type: 'object', properties: { $in: { type: 'array' } } }] },
      choice: {
        oneOf: [
          { type: 'object', properties: { $has: { type: 'array' }, $eq: { type: 'string' } } },
          { type: 'string' },
          { type: 'integer' }
        ]
      },
      deep: { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } }
    },
    definitions: { place: { type: 'string', maxLength: 3 } }
  }
  const parameters = await parametersIn(t, { querystring })
  t.match(parameters.q, { required: true, description: 'What to look for.', schema: { type: 'string' } })
  t.strictSame(parameters.place.schema, { $ref: '#/components/schemas/PostsQueryPlace' })
  t.match(parameters.ids, { style: 'form', schema: { type: ['array', 'null'] } })
  t.strictSame(parameters.range, { name: 'range', in: 'query', schema: { type: 'string' } })
  t.match(parameters['range[$in]'], { style: 'form', schema: { type: 'array' } })
  t.match(parameters['choice[$has]'], { schema: { type: 'array' } })
  t.equal(parameters.choice.schema.oneOf.length, 3)
  t.match(parameters.deep, { style: 'deepObject', description: /^A client needs a serializer/ })
})

t.test('a schema that refers to its own root', async (t) => {
  const definitions = { query: { type: 'object', properties: { q: { type: 'string' } } } }
  t.match(await parametersIn(t, { querystring: { $ref: '#/definitions/query', definitions } }), { q: { in: 'query' } })
})

t.test('a database adapter without a schema', async (t) => {
  const parameters = await parametersIn(t, {}, memory())
  t.strictSame(Object.keys(parameters), ['$limit', '$skip', '$sort'])
  const field = { type: 'integer', enum: [1, -1] }
  t.match(parameters.$sort, { style: 'deepObject', schema: { type: 'object', additionalProperties: field } })
  for (const name of ['$limit', '$skip']) t.match(parameters[name].schema, { type: 'integer', minimum: 0 })
  t.strictSame(await parametersIn(t, {}), {}, 'of another service nothing is known')
})

t.test('the id, and the placeholders of the path', async (t) => {
  const document = await documentOf(t, (app) => {
    app.service('posts/:postId/comments', new All(), { schema: { get: { response: record } } })
    app.service('pages', new All({ id: 'title' }), { schema: { get: { response: record } } })
    const params = {
      type: 'object',
      properties: { id: { type: 'string', format: 'uuid', description: 'Its number.' } }
    }
    app.service('files', new All(), { schema: { get: { params } } })
    app.service('notes', new All(), {
      methods: ['get', 'publish'],
      routes: { publish: 'POST /:id/editions/:edition' },
      schema: { get: { response: record } }
    })
  })
  const idIn = (name: string) => parametersOf(document, operationsOf(document)[name])
  t.strictSame(idIn('GET /posts/{postId}/comments/{id}'), {
    postId: { name: 'postId', in: 'path', required: true, schema: { type: 'string' } },
    id: { name: 'id', in: 'path', required: true, description: 'The id of the record.', schema: { type: 'integer' } }
  })
  const { id, edition } = idIn('POST /notes/{id}/editions/{edition}')
  t.match(id, { description: 'The id of the record.', schema: { type: 'integer' } }, 'wherever the route has it')
  t.strictSame(edition, { name: 'edition', in: 'path', required: true, schema: { type: 'string' } })
  t.strictSame(idIn('GET /pages/{id}').id.schema, { type: 'string' })
  t.match(idIn('GET /files/{id}').id, { description: 'Its number.', schema: { type: 'string', format: 'uuid' } })
})

t.test('parameters that several operations have stand in the components once', async (t) => {
  const other = { type: 'object', properties: { $limit: { type: 'integer', maximum: 5 } } }
  const { querystring } = resource(record).find as { querystring: object }
  const document = await documentOf(t, (app) =>
    app.service('posts', new All({ multi: true }), {
      schema: { find: { querystring }, patch: { querystring }, get: { querystring: other } }
    })
  )
  const references = (name: string) =>
    operationsOf(document)
      [name].parameters.map(({ $ref }: Part) => $ref)
      .filter(Boolean)
  t.strictSame(references('GET /posts'), references('PATCH /posts'))
  t.strictSame(references('GET /posts/{id}'), ['#/components/parameters/PostsQueryLimit2'])
})

t.test('documents offer no list of hidden items to $select, as the server refuses it', async (t) => {
  const words = { type: 'array', items: { type: 'string', writeOnly: true } }
  const { find } = resource({ ...record, properties: { ...record.properties, words } })
  const { $select } = await parametersIn(t, find)
  t.strictSame($select.schema.items.enum, ['id', 'title'])
})
