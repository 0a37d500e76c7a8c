import { type HookContext, NotFound } from 'fastify-services'
import type { Knex } from 'knex'
import { querySchema, sortBy, text } from './query.js'

export interface Note {
  id: number
  /** The country that the note is about. */
  code: string
  text: string
  pinned: boolean
  changedAt: Date
}

const querystring = querySchema({ id: 'integer', text: 'string', pinned: 'boolean' }, ['code', 'changedAt'])
const properties = { text: { ...text, minLength: 1, maxLength: 2000 }, pinned: { type: 'boolean' } }
const note = {
  type: 'object',
  required: ['text'],
  properties: { ...properties, pinned: { type: 'boolean', default: false } },
  additionalProperties: false
}
const changes = { type: 'object', minProperties: 1, properties, additionalProperties: false }

/** What a client may send. The rest of a note is set by the hooks. */
export const schema = {
  find: { querystring },
  get: { querystring },
  create: { querystring, body: note },
  update: { querystring, body: note },
  patch: { querystring, body: changes },
  remove: { querystring }
}

export const hooks = {
  before: {
    all: [ofCountry],
    find: [sortBy('id')],
    get: [numberId],
    create: [stamp],
    update: [numberId, stamp],
    patch: [numberId, stamp],
    remove: [numberId]
  }
}

/** Notes are those of the country in the path, and there are none of a country that does not exist. */
async function ofCountry(context: HookContext): Promise<void> {
  const { app, params } = context
  const code = params.route?.code ?? ''
  await app.service('countries').get(code, { query: { $select: ['cca3'] } })
  context.params = { ...params, query: { ...params.query, code } }
}

/** Ids arrive as strings, and what is no number is the id of no note. */
function numberId(context: HookContext): void {
  if (context.id === null) return
  if (!/^\d{1,9}$/.test(String(context.id))) throw new NotFound(`No record found for id '${context.id}'`)
  context.id = Number(context.id)
}

function stamp(context: HookContext): void {
  const set = (data: object) => ({ ...data, code: context.params.route?.code, changedAt: new Date() })
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
