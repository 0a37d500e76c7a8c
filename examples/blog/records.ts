import { resource } from './resource.js'

const id = { type: 'integer', readOnly: true }
const text = { type: 'string', minLength: 1, maxLength: 10_000 }
const title = { type: 'string', minLength: 1, maxLength: 200 }
const author = { type: 'integer', readOnly: true, description: 'The id of the user who wrote it.' }

const user = resource({
  id,
  email: { type: 'string', maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' },
  name: { type: 'string', minLength: 1, maxLength: 100 },
  password: { type: 'string', minLength: 8, maxLength: 1024, writeOnly: true }
})

const post = resource({
  id,
  title,
  text,
  words: { type: 'integer', readOnly: true, description: 'How many words the text has.' },
  tags: { type: 'array', items: { type: 'string', maxLength: 50 }, maxItems: 20, default: [] },
  published: { type: 'boolean', readOnly: true },
  author
})

const comment = resource({ id, post: { type: 'integer', readOnly: true }, text, author })

const picture = resource({
  id,
  title,
  file: { contentMediaType: 'application/octet-stream', writeOnly: true },
  bytes: { type: 'integer', readOnly: true },
  author
})

const { update: _user, ...ofUsers } = user
export const users = { ...ofUsers, create: { ...user.create, summary: 'Sign up' } }

export const posts = {
  ...post,
  publish: {
    description: 'Marks it as ready to be read.',
    body: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    response: post.get.response
  }
}

const { update: _comment, patch, ...ofComments } = comment
export const comments = ofComments

const { find, get, create } = picture
export const pictures = { find, get, create: { ...create, summary: 'Upload a picture' } }
