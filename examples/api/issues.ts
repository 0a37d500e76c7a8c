import type { Id, Params } from 'fastify-services'
import { DrizzleService } from 'fastify-services/drizzle'
import type { issues } from './tables.js'

/** Issues in their table, which can be closed. */
export class Issues extends DrizzleService<typeof issues> {
  async close(id: Id, _data: unknown, params?: Params) {
    return this.patch(id, { state: 'closed' }, params)
  }

  async reopen(id: Id, _data: unknown, params?: Params) {
    return this.patch(id, { state: 'open' }, params)
  }
}
