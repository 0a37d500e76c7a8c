import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import { requestStateOf } from '../../core/request-state.js'
import { format } from './accept.js'

/**
 * Decorates requests and replies with what docs/http.md#middleware promises: `feathers`, `data`,
 * `hook`, `format`.
 */
export function decorateMessages(app: FastifyInstance): void {
  app.decorateRequest('feathers', {
    getter(this: FastifyRequest) {
      const state = requestStateOf(this)
      state.properties ??= {}
      return state.properties
    },
    setter(this: FastifyRequest, params: Record<string, unknown>) {
      Object.assign(this.feathers, params)
    }
  })
  app.decorateReply('data', undefined)
  app.decorateReply('hook', {
    getter(this: FastifyReply) {
      return requestStateOf(this.request).hook as HookContext | null
    },
    setter(this: FastifyReply, context: HookContext | null) {
      requestStateOf(this.request).hook = context
    }
  })
  app.decorateReply('format', function (this: FastifyReply, types) {
    return format(types, this.request, this)
  })
}

/** The decorator of requests or replies that something else has taken, as `reply.data`. */
export function takenDecorator(app: FastifyInstance): string | undefined {
  if (app.hasRequestDecorator('feathers')) return 'request.feathers'
  const name = ['data', 'hook', 'format'].find((name) => app.hasReplyDecorator(name))
  return name && `reply.${name}`
}
