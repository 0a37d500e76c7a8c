import type { KnexService } from '@feathersjs/knex'
import { Forbidden, type HookContext, type NextFunction, NotFound, resource, stableOrder } from 'fastify-services'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import type { Country } from './countries.js'
import { Int, operators, text } from './query.js'
import { limitRecords, type Table } from './table.js'
import { type User, userOf } from './users.js'

const Note = Type.Object(
  {
    id: Int,
    /** The country that the note is about. */
    code: Type.String(),
    text: Type.String({ ...text, minLength: 1, examples: ['Four languages'] }),
    pinned: Type.Optional(Type.Boolean({ default: false })),
    changedAt: Type.Unsafe<Date>(Type.String({ format: 'date-time' })),
    /** The id of the user who wrote it; `null` where that user has left, or wrote before there were users. */
    author: Type.Union([Int, Type.Null()]),
    /** The name that this user has now. It is the only thing that others see of a user. */
    authorName: Type.Union([Type.String(), Type.Null()])
  },
  { title: 'Note' }
)
export type Note = Static<typeof Note>

const filter = ['id', 'text', 'pinned', 'author'] as const

/** What a client may send. The rest of a note is set by the hooks. */
export const schema = resource(Note, {
  readOnly: ['id', 'code', 'changedAt', 'author', 'authorName'],
  filter,
  sort: filter,
  operators
})

export const hooks = {
  around: { all: [tellNames], find: [stableOrder()] },
  before: {
    all: [ofCountry],
    get: [numberId],
    create: [limitRecords, stamp],
    update: [numberId, ofAuthor, stamp],
    patch: [numberId, ofAuthor, stamp],
    remove: [numberId, ofAuthor]
  }
}

/** Adds the names of the authors, which the table of users has. */
async function tellNames(context: HookContext, next: NextFunction): Promise<void> {
  const { app, params } = context
  const { $select, ...query } = { ...params.query } as { $select?: string[] }
  if ($select?.includes('authorName')) {
    const columns = $select.filter((name) => name !== 'authorName')
    context.params = { ...params, query: { ...query, $select: [...new Set([...columns, 'author'])] } }
  }
  await next()
  if ($select?.includes('authorName') === false) return
  const { result } = context
  const notes: Note[] = Array.isArray(result) ? result : Array.isArray(result.data) ? result.data : [result]
  const ids = [...new Set(notes.flatMap(({ author }) => author ?? []))]
  const users = app.service<KnexService<User>>('users')
  const authors =
    ids.length === 0 ? [] : await users.find({ query: { id: { $in: ids }, $select: ['id', 'name'] }, paginate: false })
  const names = new Map(authors.map(({ id, name }) => [id, name]))
  for (const note of notes) note.authorName = names.get(note.author ?? -1) ?? null
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
    const note = await service.get(id, { route: params.route, query: { $select: ['author'] } } as object)
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

// biome-ignore format: a table
const examples: readonly (readonly [code: string, text: string])[] = [
  ['CHE', 'Four languages are official: German, French, Italian and Romansh.'],
  ['ISL', 'Its parliament, the Althing, first met in the year 930.'],
  ['JPN', 'More than 14,000 islands, and people live on some 400 of them.'],
  ['BRA', 'It borders every country of South America but Chile and Ecuador.'],
  ['LSO', 'All of it lies above 1,000 metres, which is so of no other country.'],
  ['NPL', 'Its flag is the only one of a country that is no rectangle.'],
  ['MNG', 'Some two people live on a square kilometre: in no other country are there fewer.'],
  ['NZL', 'In 1893 it became the first country in which all women could vote.'],
  ['SDN', 'It has some 200 pyramids, more than Egypt.'],
  ['BOL', 'Sucre is the capital by the constitution, and the government sits in La Paz.']
]

/** Ten notes of a user, so that the first visitor has something to read. */
export async function writeExamples(knex: Knex, author: number): Promise<void> {
  const changedAt = new Date()
  await knex('notes').insert(examples.map(([code, text]) => ({ code, text, pinned: false, changedAt, author })))
}
