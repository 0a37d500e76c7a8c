import type { FastifyReply, FastifyRequest } from 'fastify'
import { isJSON, problemType } from '../../core/content.js'
import { NotAcceptable } from '../../core/errors.js'
import { once } from '../../core/objects.js'
import packages from './packages.cjs'

const accepts = once(packages.accepts)

type Representations = { readonly [type: string]: (request: FastifyRequest, reply: FastifyReply) => unknown }

/**
 * Picks a representation by the request's `Accept` (docs/http.md#responses).
 *
 * @throws {NotAcceptable} if none is acceptable and there is no `default`
 */
export function format(types: Representations, request: FastifyRequest, reply: FastifyReply): unknown {
  const offered = Object.keys(types).filter((type) => type !== 'default')
  // If no types are offered, `accepts` returns the types that the request names.
  const type = accepts()(request.raw).type(offered)
  const represent = typeof type === 'string' ? types[type] : types.default
  vary(reply)
  if (represent === undefined) throw new NotAcceptable(`Acceptable are: ${offered.join(', ')}`)
  if (typeof type === 'string') reply.type(/^text\/[^;]+$/.test(type) ? `${type}; charset=utf-8` : type)
  return represent(request, reply)
}

/** Adds `Accept` to the header `Vary`. */
export function vary(reply: FastifyReply): void {
  const named = reply.getHeader('vary')
  const fields = named === undefined ? '' : [named].flat().join(', ')
  if (fields === '') reply.header('vary', 'Accept')
  else if (!/(^|,)\s*(accept|\*)\s*(,|$)/i.test(fields)) reply.header('vary', `${fields}, Accept`)
}

const namesEvents = /(^|,)\s*text\/event-stream\s*(;|,|$)/i

/**
 * Whether a request for a list prefers its events, by name. The answer depends on `Accept` then.
 */
export function wantsEvents({ raw, headers: { accept } }: FastifyRequest, reply: FastifyReply): boolean {
  vary(reply)
  if (accept === undefined || accept === 'application/json' || !namesEvents.test(accept)) return false
  return accepts()(raw).type('application/json', 'text/event-stream') === 'text/event-stream'
}

/** Whether an error is answered as JSON: if the request sends JSON, or accepts JSON or events. */
export function wantsJSON({ raw, headers }: FastifyRequest): boolean {
  // Programs send this: nothing has to be parsed.
  if (headers.accept === 'application/json') return true
  return [accepts()(raw).types(), headers['content-type'] ?? '']
    .flat()
    .some((type) => String(type).toLowerCase() === 'text/event-stream' || isJSON(String(type)))
}

/** Whether a request accepts HTML by name, as browsers do for a page, and no JSON. */
export const wantsHTML = (request: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(request.headers.accept ?? '') && !wantsJSON(request)

/**
 * Whether an error is answered as problem details: if the request names them or, as the default,
 * unless it accepts other JSON alone, as clients of Feathers do.
 */
export function wantsProblem({ raw, headers: { accept = '' } }: FastifyRequest, isDefault: boolean): boolean {
  // Most requests don't name them: nothing has to be parsed.
  if (accept === 'application/json' || (!isDefault && !accept.toLowerCase().includes(problemType))) return false
  const accepted = accepts()(raw)
  const isNamed = [accepted.types()].flat().some((type) => String(type).toLowerCase() === problemType)
  return isNamed || (isDefault && accepted.type(problemType) !== false)
}
