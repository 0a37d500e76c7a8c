import type { FastifyReply } from 'fastify'
import { GeneralError } from '../../core/errors.js'
import type { Serialize } from './serializer.js'

// Serializers that the application, or a plugin of it, sets on a reply: for MessagePack or YAML,
// for example. They get what may leave, and not what a service has.

type Encode = Parameters<FastifyReply['serializer']>[0]

// Fastify tells nobody which serializer a reply has.
let symbol: symbol | undefined

/**
 * The serializer that a reply has, by `reply.serializer()` alone: that of `setReplySerializer` is
 * not on the reply.
 */
export function encoderOf(reply: FastifyReply): Encode | undefined {
  if (symbol === undefined || !(symbol in reply))
    symbol = Object.getOwnPropertySymbols(reply).find(({ description }) => description === 'fastify.reply.serializer')
  return (symbol && (reply as unknown as Record<symbol, Encode | null>)[symbol]) ?? undefined
}

/**
 * Has a result serialized by what lets out of it what may leave. A serializer that the application
 * has set, also in a `preSerialization` hook after this, is called with the data that the JSON has:
 * hooks run between the handler and the serializer, and no public property tells what they have
 * set.
 */
export function setSerializer(reply: FastifyReply, serialize: Serialize): void {
  const ofData = (encode: Encode | undefined) => {
    if (encode === undefined) return serialize
    return (payload: unknown) => {
      const data: unknown = JSON.parse(serialize(payload))
      try {
        return encode(data)
      } catch (cause) {
        throw new GeneralError('A serializer of the application has failed', undefined, { cause })
      }
    }
  }
  reply.serializer(ofData(encoderOf(reply)))
  const { serializer } = reply
  reply.serializer = (encode: Encode | null) => serializer.call(reply, ofData(encode ?? undefined))
}

/** Gives a reply its own `serializer()` back: what follows is no result. */
export function releaseSerializer(reply: FastifyReply): void {
  if (Object.hasOwn(reply, 'serializer')) delete (reply as Partial<FastifyReply>).serializer
}

/**
 * Leaves a reply with a serializer of the application alone, or with none, where its content is of
 * another type than that which the serializer makes.
 */
export function resetEncoder(reply: FastifyReply, encode?: Encode): void {
  releaseSerializer(reply)
  if (encoderOf(reply) !== encode) reply.serializer((encode ?? null) as Encode)
}
