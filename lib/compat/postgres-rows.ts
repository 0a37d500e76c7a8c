// Selects the functions that take a row of any table, also those of extensions and of the
// application.
const rowFunctions = `select distinct proname as name from pg_catalog.pg_proc
  where prokind = 'f' and pronargs - pronargdefaults <= 1 and proargtypes[0] in ('record'::regtype, '"any"'::regtype,
    'anyelement'::regtype, 'anynonarray'::regtype, 'anycompatible'::regtype, 'anycompatiblenonarray'::regtype)`

/** The used members of a knex instance. */
interface KnexInstance {
  (table: string): { columnInfo(): PromiseLike<object> }
  readonly client?: { readonly dialect?: unknown }
  withSchema(schema: string): { table(name: string): { columnInfo(): PromiseLike<object> } }
  raw(sql: string): PromiseLike<{ readonly rows: readonly { readonly name: string }[] }>
}

/** The used members of a service of `@feathersjs/knex`. */
interface KnexService {
  readonly options: { readonly name: string; readonly schema?: string }
  getModel(params: unknown): KnexInstance
}

const functionsByClient = new WeakMap<object, Promise<ReadonlySet<string>>>()

/**
 * Whether a query of a client selects whole rows from PostgreSQL, with all their hidden fields.
 *
 * PostgreSQL reads `users.concat` as `concat(users)` if the table has no such column, and `users`
 * as the row itself. `@feathersjs/knex` puts any name of a query behind the name of the table, so
 * that `$select[]=concat` would return the password as part of a text. Neither of them has an
 * option against it, and a list of functions would lack those of extensions. Seen in PostgreSQL 15
 * and `@feathersjs/knex` 5.0.50; `test/authentication/protect-queries.deep.test.ts` asks both.
 *
 * @param texts the names in the query
 */
export async function selectsRows(texts: readonly string[], service: object, params: object): Promise<boolean> {
  const { options, getModel } = service as Partial<KnexService>
  if (typeof getModel !== 'function' || typeof options?.name !== 'string') return false
  const knex = getModel.call(service, params)
  const client = knex?.client
  if (client?.dialect !== 'postgresql') return false
  // A transaction has the connection that the call would otherwise wait for.
  const { transaction } = params as { readonly transaction?: { readonly trx?: KnexInstance } }
  const trx = transaction?.trx ?? knex
  const functions = await functionsOf(client, trx)
  const { name: table, schema } = options
  const suspects = texts.map(toColumn).filter((name) => name === toColumn(table) || functions.has(name))
  if (suspects.length === 0) return false
  const builder = schema === undefined ? trx(table) : trx.withSchema(schema).table(table)
  const columns = new Set(Object.keys(await builder.columnInfo()).map(toPlainName))
  return suspects.some((suspect) => !columns.has(suspect))
}

/** Returns the column of a name that may have a table and an alias: `users.email as mail`. */
function toColumn(text: string): string {
  const column = text.replace(/\sas\s.*/is, '')
  return toPlainName(column.slice(column.lastIndexOf('.') + 1))
}

/** Ignores underscores, because knex may be configured to write `toJson` as `to_json`. */
const toPlainName = (name: string) => name.trim().toLowerCase().replaceAll('_', '')

/** Reads the functions once for each pool of connections. */
function functionsOf(client: object, knex: KnexInstance): Promise<ReadonlySet<string>> {
  const functions = functionsByClient.get(client) ?? readFunctions(knex)
  functionsByClient.set(client, functions)
  functions.catch(() => functionsByClient.delete(client))
  return functions
}

async function readFunctions(knex: KnexInstance): Promise<ReadonlySet<string>> {
  const { rows } = await knex.raw(rowFunctions)
  return new Set(rows.map(({ name }) => toPlainName(name)))
}
