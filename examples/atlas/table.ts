import { type KnexAdapterParams, KnexService } from '@feathersjs/knex'
import { BadRequest, type HookContext } from 'fastify-services'

/** The most records that one call may create, or change without an id. */
export const maxRecords = 100

/**
 * The adapter, with one statement for many records: all of them are written, or none. By itself it begins one insert for each record
 * of a list, all at once, and reads all that a patch selects.
 */
export class Table<Row extends object> extends KnexService<Row> {
  override async _create(data: Partial<Row>, params?: KnexAdapterParams): Promise<Row>
  override async _create(data: Partial<Row>[], params?: KnexAdapterParams): Promise<Row[]>
  override async _create(data: Partial<Row> | Partial<Row>[], params: KnexAdapterParams = {}): Promise<Row | Row[]> {
    if (!Array.isArray(data)) return super._create(data, params)
    if (data.length === 0) return []
    return (await this.db(params).insert(data, this.#returned(params))) as Row[]
  }

  override async _patch(id: null, data: Partial<Row>, params?: KnexAdapterParams): Promise<Row[]>
  override async _patch(id: string | number, data: Partial<Row>, params?: KnexAdapterParams): Promise<Row>
  override async _patch(id: string | number | null, data: Partial<Row>, params: KnexAdapterParams = {}) {
    if (id !== null || !this.allowsMulti('patch', params)) return super._patch(id as string, data, params)
    const ids = await this.createQuery(params)
      .clearSelect()
      .pluck(this.id)
      .limit(maxRecords + 1)
    if (ids.length > maxRecords) throw new BadRequest(`The query selects more than ${maxRecords} records: select fewer`)
    return this.createQuery(params).whereIn(this.id, ids).update(data, this.#returned(params))
  }

  #returned({ query }: KnexAdapterParams): string[] {
    const { $select } = { ...query } as { $select?: string[] }
    return $select === undefined ? ['*'] : [...new Set([this.id, ...$select])]
  }
}

/** A hook: refuses a list that is too long before anything is done about its records. */
export function limitRecords({ data }: HookContext): void {
  if (Array.isArray(data) && data.length > maxRecords)
    throw new BadRequest(`A list holds ${data.length} records, and may hold ${maxRecords}`)
}
