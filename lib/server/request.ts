import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { format } from './negotiate.js'

const store = Symbol('feathers')
type Stored = FastifyRequest & { [store]?: Record<string, unknown> }

/** What middleware has put on `request.feathers`, `undefined` if nothing has used it. */
export const propertiesOf = (request: FastifyRequest) => (request as Stored)[store]

/** Decorates requests and replies with what docs/http.md#middleware promises: `feathers`, `data`, `hook`, `format`. */
export function decorateMessages(app: FastifyInstance): void {
  app.decorateRequest('feathers', {
    getter(this: FastifyRequest) {
      const request = this as Stored
      request[store] ??= {}
      return request[store]
    },
    setter(this: FastifyRequest, params: Record<string, unknown>) {
      Object.assign(this.feathers, params)
    }
  })
  app.decorateReply('data', undefined)
  app.decorateReply('hook', null)
  app.decorateReply('format', function (this: FastifyReply, types) {
    return format(types, this.request, this)
  })
}
