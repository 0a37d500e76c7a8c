import { types } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorWithout } from '../core/protected-error.js'
import type { RecordRules } from '../core/resource/rules.js'
import { hiddenNames } from '../schema/hidden.js'
import { shapesOf } from './resource.js'

type OnError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown

/** Makes an error handler leave out of what errors tell the fields that a resource hides, at any depth. */
export function withoutHidden(onError: OnError, record: RecordRules, instance: FastifyInstance): OnError {
  // Few services fail, and few schemas hide something.
  let names: readonly string[] | undefined
  return (error, request, reply) => {
    names ??= namesHiddenBy(record, instance)
    return onError(names.length === 0 ? error : errorWithout(error, names, types), request, reply)
  }
}

/** The names of the fields of a record that do not leave: those that are flagged, and those that its answer does not have. */
export function namesHiddenBy(record: RecordRules, instance: FastifyInstance): readonly string[] {
  const incoming = shapesOf(record.incoming, instance)
  const outgoing = shapesOf(record.outgoing.written, instance)
  return outgoing.root.remember(namesHiddenBy, () => {
    const left = incoming.root.names.filter((name) => !outgoing.root.field(name).isKnown)
    return [...new Set([...hiddenNames(incoming), ...hiddenNames(outgoing), ...left])]
  })
}
