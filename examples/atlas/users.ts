import { Forbidden, type HookContext, type Params, resource } from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { Int, text } from './query.js'

const maxAddress = 254
const pattern = '^\\s*[^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f]+\\s*$'
const User = Type.Object(
  {
    id: Int,
    email: Type.String({ maxLength: maxAddress, pattern, examples: ['you@example.com'] }),
    name: Type.String({ ...text, minLength: 1, maxLength: 100, examples: ['You'] }),
    /** Stored as the hash of it. It does not leave. */
    password: Type.String({ minLength: 8, maxLength: 1024, examples: ['at least 8 characters'] })
  },
  { title: 'User' }
)
export type User = Static<typeof User>

/** What a client may send. */
export const schema = resource(User, { readOnly: ['id'], writeOnly: ['password'], filter: [], sort: [] })

// Not asked before: two may sign up at the same time, and the database lets one of them.
const sayTaken = databaseErrors({ messages: { email: 'There is a user with this e-mail address' } })

export const hooks = {
  before: {
    find: [ownRecord],
    get: [ownRecord],
    patch: [ownRecord],
    remove: [ownRecord]
  },
  error: { create: [sayTaken], patch: [sayTaken] }
}

/** Who calls, where the guard has let them in. */
export const userOf = ({ user }: Params): User | undefined => user as User | undefined

/** Whose id it is not is not told whether there is such a user. */
function ownRecord(context: HookContext): void {
  const { method, id, params } = context
  if (!params.provider) return
  const userId = userOf(params)?.id
  if (method === 'find') context.params = { ...params, query: { ...params.query, id: userId } }
  else if (String(id) !== String(userId)) throw new Forbidden('Users see and change their own record only')
}

/**
 * The e-mail address as limits count it: in whatever case it is typed, it is one user. What is longer than any address stays as it is: the time that `normalize`
 * takes can grow with the square of the text, and a log-in comes from anybody.
 */
export function toAddress(email: unknown): string | undefined {
  // The schema counts characters, of which one may have two units.
  if (typeof email !== 'string' || email.length > 2 * maxAddress) return undefined
  return email.trim().normalize().toLowerCase()
}

export async function createUsers(knex: Knex): Promise<void> {
  await knex.schema.createTable('users', (table) => {
    table.increments('id')
    table.text('email').notNullable().unique()
    table.text('name').notNullable()
    table.text('password').notNullable()
  })
}
