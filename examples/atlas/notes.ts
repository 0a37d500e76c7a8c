import type { KnexService } from '@feathersjs/knex'
import { Forbidden, type HookContext, NotFound, resource } from 'fastify-services'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import type { Country } from './countries.js'
import { Int, operators, sortBy, text } from './query.js'
import { limitRecords, type Table } from './table.js'
import { userOf } from './users.js'

const Note = Type.Object(
  {
    id: Int,
    /** The country that the note is about. */
    code: Type.String(),
    text: Type.String({ ...text, minLength: 1, examples: ['Four languages'] }),
    pinned: Type.Optional(Type.Boolean({ default: false })),
    changedAt: Type.Unsafe<Date>(Type.String({ format: 'date-time' })),
    /** The id of the user who wrote it; `null` where that user has left, or wrote before there were users. */
    author: Type.Union([Int, Type.Null()])
  },
  { title: 'Note' }
)
export type Note = Static<typeof Note>

const filter = ['id', 'text', 'pinned', 'author'] as const

/** What a client may send. The rest of a note is set by the hooks. */
export const schema = resource(Note, {
  readOnly: ['id', 'code', 'changedAt', 'author'],
  filter,
  sort: filter,
  operators
})

export const hooks = {
  before: {
    all: [ofCountry],
    find: [sortBy('id')],
    get: [numberId],
    create: [limitRecords, stamp],
    update: [numberId, ofAuthor, stamp],
    patch: [numberId, ofAuthor, stamp],
    remove: [numberId, ofAuthor]
  }
}

/** Notes are those of the country in the path, and there are none of a country that does not exist. */
async function ofCountry(context: HookContext): Promise<void> {
  const { app, params } = context
  const code = params.route?.code ?? ''
  await app.service<KnexService<Country>>('countries').get(code, { query: { $select: ['cca3'] } })
  context.params = { ...params, query: { ...params.query, code } }
}

/** Ids arrive as strings, and what is no number is the id of no note. */
function numberId(context: HookContext): void {
  if (context.id === null) return
  if (!/^\d{1,9}$/.test(String(context.id))) throw new NotFound(`No record found for id '${context.id}'`)
  context.id = Number(context.id)
}

/** Only the author changes a note. Without an id, all that the query selects are those of them that are the author's. */
async function ofAuthor(context: HookContext<Table<Note>>): Promise<void> {
  const { id, service, params } = context
  if (!params.provider) return
  const author = userOf(params)?.id
  if (id === undefined || id === null) {
    // Beside what the query says of authors, not in place of it.
    context.params = { ...params, query: { ...params.query, $and: [{ author }] } }
  } else {
    const note = await service.get(id, { route: params.route } as object)
    if (note.author !== author) throw new Forbidden('Only its author may change a note')
  }
}

function stamp(context: HookContext): void {
  const { method, params } = context
  const changed = { code: params.route?.code, changedAt: new Date() }
  const author = userOf(params)?.id ?? null
  const set = (data: object) => ({ ...data, ...changed, ...(method !== 'patch' && { author }) })
  context.data = Array.isArray(context.data) ? context.data.map(set) : set(context.data as object)
}

export async function createNotes(knex: Knex): Promise<void> {
  await knex.schema.createTable('notes', (table) => {
    table.increments('id')
    table.text('code').notNullable().references('countries.cca3')
    table.text('text').notNullable()
    table.boolean('pinned').notNullable()
    table.timestamp('changedAt').notNullable()
    table.index('code')
  })
}

/** The notes of the first version of the atlas have no author, and so nobody may change them. */
export async function addAuthors(knex: Knex): Promise<void> {
  await knex.schema.alterTable('notes', (table) => {
    table.integer('author').references('users.id').onDelete('set null')
    table.index('author')
  })
}
