import type { HookContext } from '../../types/hooks.js'
import { readProperty } from '../core/errors.js'
import { metaOf } from '../core/service-meta.js'

/** What is used of a knex. */
interface TableModel {
  (table: string): { columnInfo(): PromiseLike<object> }
  withSchema(schema: string): { table(name: string): { columnInfo(): PromiseLike<object> } }
  raw(sql: string): PromiseLike<{ readonly rows: readonly { readonly name: string }[] }>
}

/** What is used of the adapter for knex. */
interface TableAdapter {
  readonly options: { readonly name: string; readonly schema?: string }
  getModel(params: unknown): TableModel
}

// Functions that take a row of any table. What an extension or the application adds counts, too.
const rowFunctions = `select distinct proname as name from pg_catalog.pg_proc
  where prokind = 'f' and pronargs - pronargdefaults <= 1 and proargtypes[0] in ('record'::regtype, '"any"'::regtype,
    'anyelement'::regtype, 'anynonarray'::regtype, 'anycompatible'::regtype, 'anycompatiblenonarray'::regtype)`

const functionsByClient = new WeakMap<object, Promise<ReadonlySet<string>>>()

/**
 * Whether a query of a client asks a PostgreSQL behind the adapter for knex for whole rows, with
 * all that is hidden of them: `users.to_json` is `to_json(users)` there, unless the table has a
 * column of that name, and `users` is the row itself.
 *
 * @param texts the names in the query
 */
export async function asksForRows(texts: readonly string[], { service, params }: HookContext): Promise<boolean> {
  const { object = service } = metaOf(service)
  const { options, getModel } = object as Partial<TableAdapter>
  if (typeof getModel !== 'function' || typeof options?.name !== 'string') return false
  const knex = getModel.call(object, params)
  const client = readProperty(knex, 'client')
  if (readProperty(client, 'dialect') !== 'postgresql') return false
  // A transaction has the connection that the call would otherwise wait for.
  const { trx = knex } = Object(params.transaction) as { trx?: TableModel }
  const functions = await functionsOf(client as object, trx)
  const { name: table, schema } = options
  const suspects = texts.map(toColumn).filter((name) => name === toColumn(table) || functions.has(name))
  if (suspects.length === 0) return false
  const builder = schema === undefined ? trx(table) : trx.withSchema(schema).table(table)
  const columns = new Set(Object.keys(await builder.columnInfo()).map(toPlainName))
  return suspects.some((suspect) => !columns.has(suspect))
}

/**
 * The column that a name means, which may have a table before it and another name behind it:
 * `users.email as mail`.
 */
function toColumn(text: string): string {
  const column = text.replace(/\sas\s.*/is, '')
  return toPlainName(column.slice(column.lastIndexOf('.') + 1))
}

/**
 * A text whose names have one spelling: mappers of adapters read `reset_token` for `resetToken`,
 * and databases `SALARY ` for `salary`, some of them letters with accents or of another width, too.
 */
export function inOneSpelling(text: string): string {
  const plain = /[^ -~]/.test(text) ? withoutAccents(text) : text
  return plain
    .trim()
    .toLowerCase()
    .replace(/_(?<=[\p{L}\p{N}]_)_*(?=[\p{L}\p{N}])/gu, '')
}

/**
 * A text of letters alone, in upper case. Marks go before it is normalized, which takes the square
 * of the time for many in a row.
 */
const withoutAccents = (text: string) =>
  text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\p{M}+/gu, '')
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()

/** A name in one spelling: knex may have been told to write `toJson` as `to_json`. */
const toPlainName = (name: string) => name.trim().toLowerCase().replaceAll('_', '')

function functionsOf(client: object, knex: TableModel): Promise<ReadonlySet<string>> {
  const functions = functionsByClient.get(client) ?? readFunctions(knex)
  functionsByClient.set(client, functions)
  functions.catch(() => functionsByClient.delete(client))
  return functions
}

async function readFunctions(knex: TableModel): Promise<ReadonlySet<string>> {
  const { rows } = await knex.raw(rowFunctions)
  return new Set(rows.map(({ name }) => toPlainName(name)))
}
