import { KnexService } from '@feathersjs/knex'
import type { Id, Params } from 'fastify-services'

/** Issues in their table, which can be closed. */
export class Issues extends KnexService {
  async close(id: Id, _data: unknown, params?: Params) {
    return this._patch(id, { state: 'closed' }, params)
  }

  async reopen(id: Id, _data: unknown, params?: Params) {
    return this._patch(id, { state: 'open' }, params)
  }
}
