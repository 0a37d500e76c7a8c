import { BadRequest, type HookContext, resource } from 'fastify-services'
import { own, within } from 'fastify-services/authentication'
import type { DrizzleService } from 'fastify-services/drizzle'
import Type, { type Static } from 'typebox'
import { Int, operators, text } from './query.js'
import type { notes } from './tables.js'

const Note = Type.Object(
  {
    id: Int,
    /** The country that the note is about. */
    code: Type.String(),
    text: Type.String({ ...text, minLength: 1, examples: ['Four languages'] }),
    pinned: Type.Optional(Type.Boolean({ default: false })),
    changedAt: Type.String({ format: 'date-time' }),
    /** The id of the user who wrote it; `null` if that user has left. */
    author: Type.Union([Int, Type.Null()]),
    /** The current name of that user, the only field of a user that others see. */
    authorName: Type.Union([Type.String(), Type.Null()])
  },
  { title: 'Note' }
)
export type Note = Static<typeof Note>

const filter = ['id', 'text', 'pinned', 'author'] as const

export const schema = resource(Note, {
  readOnly: ['id', 'code', 'changedAt', 'author', 'authorName'],
  filter,
  sort: filter,
  operators
})

/** Notes belong to the country in the path and to their author. Anyone may read them. */
export const hooks = {
  around: { all: [within('countries'), own('author', { except: ['find', 'get'] })] },
  before: { create: [limitRecords], patch: [limitRecords] }
}

const maxRecords = 100

/** Limits how many notes one call may create, or change without an id. */
async function limitRecords({ id, data, params, service }: HookContext<DrizzleService<typeof notes>>) {
  const selected = id === null && (await service.find({ query: { ...params.query, $limit: 0 } }))
  const count = selected ? selected.total : [data].flat().length
  if (count > maxRecords) throw new BadRequest(`A call can write ${maxRecords} notes, not ${count}`)
}
