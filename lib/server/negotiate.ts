import accepts from 'accepts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotAcceptable } from '../core/errors.js'
import { isJSON } from '../core/media-type.js'

type Representations = { readonly [type: string]: (request: FastifyRequest, reply: FastifyReply) => unknown }

/**
 * Picks a representation by the request's `Accept` (docs/http.md#answers).
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
  const fields = [reply.getHeader('vary')].flat().join(', ')
  if (!/(^|,)\s*(accept|\*)\s*(,|$)/i.test(fields)) reply.header('vary', fields === '' ? 'Accept' : `${fields}, Accept`)
}

/** Whether an error is answered as JSON: where the request accepts JSON by name, or sends JSON. */
export function wantsJSON({ raw, headers }: FastifyRequest): boolean {
  return [accepts(raw).types(), headers['content-type'] ?? ''].flat().some((type) => isJSON(String(type)))
}
