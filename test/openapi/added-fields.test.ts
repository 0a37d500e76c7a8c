import { resource } from 'fastify-services'
import { include, may } from 'fastify-services/authentication'
import { memory } from 'fastify-services/memory'
import t from 'tap'
import { documentOf, operationsOf, parametersOf } from './app.js'

t.test('fields that a query can ask for are in the record and in the parameters', async (t) => {
  const integer = { type: 'integer' } as const
  const record = <P extends object>(title: string, properties: P) =>
    ({ title, type: 'object', required: ['id'], properties: { id: integer, ...properties } }) as const
  const post = record('Post', { authorId: integer, tagIds: { type: 'array', items: integer } })
  const document = await documentOf(t, (app) => {
    app.service('users', memory(), { schema: resource(record('User', { name: { type: 'string' } })) as object })
    app.service('comments', memory(), { schema: resource(record('Comment', { postId: integer })) as object })
    app.service('tags', memory(), { schema: resource(record('Tag', {})) as object })
    const related = include({
      author: 'users',
      comments: { service: 'comments', by: 'postId' },
      tags: { service: 'tags', field: 'tagIds' }
    })
    app.service('posts', memory(), {
      schema: resource(post) as object,
      hooks: { around: { all: [related, may()] } }
    })
  })
  const { Post, PostData, PostPatch } = document.components.schemas
  const { author, comments, tags, $may } = Post.properties
  t.strictSame(author, {
    anyOf: [{ $ref: '#/components/schemas/User' }, { type: 'null' }],
    'x-parameter': '$include'
  })
  t.match(comments, { type: 'array', items: { $ref: '#/components/schemas/Comment' } })
  t.match(tags, { type: 'array', items: { $ref: '#/components/schemas/Tag' } })
  t.match($may, { type: 'object', 'x-parameter': '$may' })
  t.strictSame(Post.required, ['id'])
  for (const body of [PostData, PostPatch]) t.strictSame(Object.keys(body.properties), ['id', 'authorId', 'tagIds'])
  const operations = operationsOf(document)
  for (const name of ['GET /posts', 'GET /posts/{id}']) {
    const { $include, ...others } = parametersOf(document, operations[name])
    t.match($include.schema, { type: 'array', items: { type: 'string' } }, name)
    t.match(others.$may?.schema, { type: 'boolean', const: true }, name)
  }
  for (const name of ['POST /posts', 'PATCH /posts/{id}'])
    t.notMatch(JSON.stringify(Object.keys(parametersOf(document, operations[name]))), /may|include/, name)
})
