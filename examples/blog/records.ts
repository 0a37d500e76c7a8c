import { resource } from 'fastify-services'
import { Type } from 'typebox'
import { routes } from './services.js'

const id = Type.Integer({ readOnly: true })
const title = Type.String({ minLength: 1, maxLength: 200 })
const text = Type.String({ minLength: 1, maxLength: 10_000 })
const author = Type.Integer({ readOnly: true, description: 'The id of the user who wrote it.' })

export const users = resource(
  Type.Object(
    {
      id,
      email: Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' }),
      name: Type.String({ minLength: 1, maxLength: 100 }),
      password: Type.String({ minLength: 8, maxLength: 1024 })
    },
    { title: 'User' }
  ),
  { readOnly: ['id'], writeOnly: ['password'], methods: { update: false } }
)

export const posts = resource(
  Type.Object(
    {
      id,
      title,
      text,
      words: Type.Integer({ description: 'How many words the text has.' }),
      tags: Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20, default: [] }),
      published: Type.Boolean(),
      author
    },
    { title: 'Post' }
  ),
  { readOnly: ['id', 'words', 'published', 'author'], methods: { publish: { route: routes.posts.publish } } }
)

export const comments = resource(Type.Object({ id, post: Type.Integer(), text, author }, { title: 'Comment' }), {
  readOnly: ['id', 'post', 'author']
})

export const pictures = resource(Type.Object({ id, title, bytes: Type.Integer(), author }, { title: 'Picture' }), {
  readOnly: ['id', 'bytes', 'author'],
  create: Type.Object({ title, file: Type.Unsafe<File>({ contentMediaType: 'application/octet-stream' }) })
})
