import { resource } from 'fastify-services'
import { own } from 'fastify-services/authentication'
import Type from 'typebox'
import { Int, text } from './query.js'

const pattern = '^\\s*[^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f]+\\s*$'
const User = Type.Object(
  {
    id: Int,
    email: Type.String({ maxLength: 254, pattern, examples: ['you@example.com'] }),
    name: Type.String({ ...text, minLength: 1, maxLength: 100, examples: ['You'] }),
    /** Stored as its hash, and never sent. */
    password: Type.String({ minLength: 8, maxLength: 1024, examples: ['at least 8 characters'] })
  },
  { title: 'User' }
)

export const schema = resource(User, { readOnly: ['id'], writeOnly: ['password'], filter: [], sort: [] })

/** Users see and change only their own record. Anyone may sign up. */
export const hooks = { around: { all: [own('id', { except: ['create'] })] } }
