import accepts from 'accepts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import { isJSON } from '../../core/content.js'
import { NotAcceptable } from '../../core/errors.js'

/** What is noted of a request. Few have any of it: as decorations they would cost all of them. */
export interface RequestNotes {
  /** What middleware has put on `request.feathers`. */
  properties?: Record<string, unknown>
  /** The form with files that was its body. */
  form?: { readonly data: unknown }
  /** Whether another framework is about to answer it. */
  isHandedOver?: boolean
  /** The content type of the reply before middleware ran. */
  typeBefore?: string | undefined
  /** The headers of the reply before the result has set its own. */
  headersBefore?: Readonly<Record<string, number | string | string[] | undefined>>
}

const requestNotes = Symbol('notes')
type Noted = FastifyRequest & { [requestNotes]?: RequestNotes }

/** The notes of a request, to add to. */
export function notesOn(request: FastifyRequest): RequestNotes {
  const noted = request as Noted
  noted[requestNotes] ??= {}
  return noted[requestNotes]
}

/** What middleware has put on `request.feathers`, `undefined` if nothing has used it. */
export const propertiesOf = (request: FastifyRequest) => (request as Noted)[requestNotes]?.properties

/**
 * Decorates requests and replies with what docs/http.md#middleware promises: `feathers`, `data`,
 * `hook`, `format`.
 */
export function decorateMessages(app: FastifyInstance): void {
  app.decorateRequest('feathers', {
    getter(this: FastifyRequest) {
      const notes = notesOn(this)
      notes.properties ??= {}
      return notes.properties
    },
    setter(this: FastifyRequest, params: Record<string, unknown>) {
      Object.assign(this.feathers, params)
    }
  })
  app.decorateReply('data', undefined)
  app.decorateReply('hook', {
    getter(this: Hooked) {
      if (this[restrictedHook] !== undefined) this[replyHook] = this[restrictedHook]()
      this[restrictedHook] = undefined
      return this[replyHook] ?? null
    },
    setter(this: Hooked, context: HookContext | null) {
      this[restrictedHook] = undefined
      this[replyHook] = context
    }
  })
  app.decorateReply('format', function (this: FastifyReply, types) {
    return format(types, this.request, this)
  })
}

const replyHook = Symbol('hook')
const restrictedHook = Symbol('restricted hook')
type Hooked = FastifyReply & { [replyHook]?: HookContext | null; [restrictedHook]?: (() => HookContext) | undefined }

/**
 * Lets `reply.hook` have what may leave as its result, whatever the context has. It is made when it
 * is read, since few read it.
 */
export function restrictHook(reply: FastifyReply): void {
  const { [replyHook]: context, data: value } = reply as Hooked
  ;(reply as Hooked)[restrictedHook] = () => {
    const sent = { value, writable: true, enumerable: true, configurable: true }
    const hasDispatch = context?.dispatch !== undefined
    return Object.create(context as HookContext, { result: sent, ...(hasDispatch && { dispatch: sent }) })
  }
}

/** The decorator of requests or replies that something else has taken, as `reply.data`. */
export function takenDecorator(app: FastifyInstance): string | undefined {
  if (app.hasRequestDecorator('feathers')) return 'request.feathers'
  const name = ['data', 'hook', 'format'].find((name) => app.hasReplyDecorator(name))
  return name && `reply.${name}`
}

type Representations = { readonly [type: string]: (request: FastifyRequest, reply: FastifyReply) => unknown }

/**
 * Picks a representation by the request's `Accept` (docs/http.md#responses).
 *
 * @throws {NotAcceptable} when none suits and there is no `default`
 */
export function format(types: Representations, request: FastifyRequest, reply: FastifyReply): unknown {
  const offered = Object.keys(types).filter((type) => type !== 'default')
  // Of no types at all, `accepts` gives the list of those that the request names.
  const type = accepts(request.raw).type(offered)
  const represent = typeof type === 'string' ? types[type] : types.default
  vary(reply)
  if (represent === undefined) throw new NotAcceptable(`Acceptable are: ${offered.join(', ')}`)
  if (typeof type === 'string') reply.type(/^text\/[^;]+$/.test(type) ? `${type}; charset=utf-8` : type)
  return represent(request, reply)
}

/** Says that the answer depends on the request's `Accept`. */
export function vary(reply: FastifyReply): void {
  const named = reply.getHeader('vary')
  const fields = named === undefined ? '' : [named].flat().join(', ')
  if (fields === '') reply.header('vary', 'Accept')
  else if (!/(^|,)\s*(accept|\*)\s*(,|$)/i.test(fields)) reply.header('vary', `${fields}, Accept`)
}

const namesEvents = /(^|,)\s*text\/event-stream\s*(;|,|$)/i

/**
 * Whether a request for a list prefers the events of it, and says so by name. The answers of both
 * depend on what it accepts.
 */
export function wantsEvents({ raw, headers: { accept } }: FastifyRequest, reply: FastifyReply): boolean {
  vary(reply)
  if (accept === undefined || accept === 'application/json' || !namesEvents.test(accept)) return false
  return accepts(raw).type('application/json', 'text/event-stream') === 'text/event-stream'
}

/**
 * Whether an error is answered as JSON: where the request accepts JSON by name, or events, which
 * are JSON, or sends JSON.
 */
export function wantsJSON({ raw, headers }: FastifyRequest): boolean {
  // What clients of programs send: nothing has to be compared.
  if (headers.accept === 'application/json') return true
  return [accepts(raw).types(), headers['content-type'] ?? '']
    .flat()
    .some((type) => String(type).toLowerCase() === 'text/event-stream' || isJSON(String(type)))
}
