import type { Params, Query } from '../../types/service.js'
import { buildConditions } from '../core/adapters/conditions.js'
import {
  type JsonData,
  type JsonRecord,
  type Row,
  type RowSelection,
  type Table,
  type TableOptions,
  TableService,
  tableOptions
} from '../core/adapters/table.js'
import { BadRequest } from '../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { metaOf } from '../core/service-meta.js'
import { type ModelFields, PrismaFields } from './fields.js'

/** Options of `prismaModel()`. */
export interface PrismaOptions extends TableOptions {
  /** `Prisma.DbNull`, for a model that has a field of the type `Json?`. */
  jsonNull?: unknown
}

const prismaOptions: OptionTable<PrismaOptions> = { ...tableOptions, jsonNull: kinds.free }

/** The names of the models of a client: `'post'` for `prisma.post`. */
type ModelName<Client> = {
  [Name in keyof Client & string]: Client[Name] extends { findFirstOrThrow(...args: never[]): unknown } ? Name : never
}[keyof Client & string]

/** A record of a model, as it is stored. */
type PrismaRecord<Client, Name extends keyof Client> = Client[Name] extends {
  findFirstOrThrow(...args: never[]): PromiseLike<infer Found>
}
  ? Found & object
  : Row

/**
 * Stores the records of a service by a model of Prisma. Extend it to add custom methods.
 *
 * @example
 * class Posts extends PrismaService<typeof prisma, 'post'> {
 *   async publish(id: Id, _data: unknown, params?: Params) { return this.patch(id, { isPublic: true }, params) }
 * }
 * app.service('posts', new Posts(prisma, 'post'), { schema })
 */
export class PrismaService<Client extends object, Name extends ModelName<Client>> extends TableService<
  JsonRecord<PrismaRecord<Client, Name>>,
  JsonData<PrismaRecord<Client, Name>>
> {
  /**
   * @throws {Error} if an option is unknown or has the wrong type, or the client has no such model,
   * the model has no field for ids, or the database can't return rows
   */
  constructor(client: Client, name: Name, options: PrismaOptions = {}) {
    checkOptions('prismaModel()', prismaOptions, options)
    const { jsonNull, ...rest } = options
    const { id = 'id' } = rest
    const fields = new PrismaFields(modelFieldsOf(client as Models, name, id), id, jsonNull)
    super(new PrismaTable(client as PrismaClient, name, id, fields), rest)
    metaOf(this).columns = [...fields.names]
  }
}

/**
 * Creates a service that stores its records by a model of Prisma (6.2 or later): PostgreSQL, SQLite
 * and CockroachDB (docs/databases.md). A call with `params.transaction`, such as one within
 * `inTransaction({ transaction: (work) => prisma.$transaction(work) })`, runs in it.
 *
 * @param client the client of Prisma
 * @param name the name of the model in the client: `'post'` for `prisma.post`
 * @throws {Error} if an option is unknown or has the wrong type, or the client has no such model,
 * the model has no field for ids, or the database can't return rows
 * @example
 * app.service('posts', prismaModel(prisma, 'post', { paginate: { default: 10, max: 100 } }), { schema })
 */
export const prismaModel = <Client extends object, Name extends ModelName<Client>>(
  client: Client,
  name: Name,
  options: PrismaOptions = {}
): PrismaService<Client, Name> => new PrismaService(client, name, options)

/** The members that are used of a model. */
interface Model {
  readonly fields: Readonly<Record<string, { readonly typeName: string }>>
  count(args: object): Promise<number>
  findMany(args: object): Promise<Row[]>
  createManyAndReturn?(args: object): Promise<Row[]>
  updateManyAndReturn?(args: object): Promise<Row[]>
  delete(args: object): Promise<Row>
}
type Models = Readonly<Record<string, Required<Model>>>
type PrismaClient = Models & { $transaction<T>(work: (trx: unknown) => Promise<T>): Promise<T> }

function modelFieldsOf(client: Models, name: string, id: string): ModelFields {
  const { [name]: model } = client
  if (typeof model?.findMany !== 'function')
    throw new Error(`prismaModel() found no model '${name}' in the client: prismaModel(prisma, 'post') is prisma.post`)
  // A proxy: it says that it has any name.
  const types = Object.fromEntries(
    Object.keys(model.fields).map((field) => [field, model.fields[field]?.typeName ?? ''])
  )
  if (!Object.hasOwn(types, id))
    throw new Error(
      `prismaModel() needs the field of the ids: '${name}' has no '${id}', but ${Object.keys(types).join(', ')}. Name it: prismaModel(prisma, '${name}', { id: '…' })`
    )
  if (typeof model.updateManyAndReturn !== 'function')
    throw new Error(
      'prismaModel() needs Prisma 6.2 or later, and PostgreSQL, SQLite or CockroachDB: Prisma returns no rows of others'
    )
  return types
}

/** The statements of a service by Prisma. */
class PrismaTable implements Table {
  readonly #client: PrismaClient
  readonly #name: string
  readonly #id: string
  readonly #fields: PrismaFields

  constructor(client: PrismaClient, name: string, id: string, fields: PrismaFields) {
    this.#client = client
    this.#name = name
    this.#id = id
    this.#fields = fields
  }

  select({ where, order, columns, limit, offset }: RowSelection, params: Params): Promise<Row[]> {
    return this.#rowsOf(params, (model) =>
      model.findMany({
        where: this.#condition(where),
        orderBy: order.map(([column, direction]) => ({ [column]: direction })),
        select: columns && Object.fromEntries(columns.map((column) => [column, true])),
        take: limit,
        skip: offset
      })
    )
  }

  count(where: Query, params: Params): Promise<number> {
    return this.#run(params, (model) => model.count({ where: this.#condition(where) }))
  }

  insert(rows: readonly Row[], params: Params): Promise<Row[]> {
    const data = rows.map((row) => this.#fields.toStored(row))
    return this.#rowsOf(params, (model) => model.createManyAndReturn({ data }))
  }

  update(values: Row, where: Query, params: Params): Promise<Row[]> {
    const data = this.#fields.toStored(values)
    return this.#rowsOf(params, (model) => model.updateManyAndReturn({ data, where: this.#condition(where) }))
  }

  /** Prisma returns the row of one `delete` only. Each applies the condition again. */
  async delete(where: Query, params: Params): Promise<Row[]> {
    const condition = this.#condition(where)
    const rows = await this.#run(params, (model) => model.findMany({ where: condition, select: { [this.#id]: true } }))
    const removeAll = async (transaction: unknown) => {
      const removed: Row[] = []
      for (const { [this.#id]: id } of rows) {
        const row = await this.#run({ ...params, transaction }, (model) =>
          model.delete({ where: { [this.#id]: id, AND: [condition] } }).catch(ignoreMissing)
        )
        if (row !== undefined) removed.push(row)
      }
      return removed
    }
    const isAlone = rows.length < 2 || params.transaction !== undefined
    const removed = isAlone
      ? await removeAll(params.transaction)
      : await this.#client.$transaction((trx) => removeAll({ trx }))
    return this.#fields.fromRows(removed)
  }

  async #rowsOf(params: Params, work: (model: Required<Model>) => Promise<Row[]>): Promise<Row[]> {
    return this.#fields.fromRows(await this.#run(params, work))
  }

  #condition(where: Query): object {
    return buildConditions(where, this.#fields.expressions)
  }

  async #run<T>(params: Params, work: (model: Required<Model>) => Promise<T>): Promise<T> {
    const { trx = this.#client } = (params.transaction ?? {}) as { trx?: Models }
    try {
      return await work(trx[this.#name] as Required<Model>)
    } catch (error) {
      // Its text has the call with all of its values.
      if (error instanceof Error && error.name === 'PrismaClientValidationError')
        throw new BadRequest('A field is unknown or missing, or its value has the wrong type', { cause: error })
      throw error
    }
  }
}

/** Ignores that another call has removed or changed the row in between. */
function ignoreMissing(error: unknown): undefined {
  if (Object(error).code !== 'P2025') throw error
}
