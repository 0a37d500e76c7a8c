import type { FastifyReply } from 'fastify'

export type ReplySerializer = Parameters<FastifyReply['serializer']>[0]

let symbol: symbol | undefined

/**
 * Returns the serializer that `reply.serializer()` has set, for MessagePack or YAML, for example.
 * Results must be redacted before it runs. Fastify has no getter: it keeps the function under a
 * symbol of each reply, which is found by its description. Seen in Fastify 5.12.8.
 *
 * `app.setReplySerializer()` is not on the reply: the serializer of a result replaces that one.
 */
export function serializerOfReply(reply: FastifyReply): ReplySerializer | undefined {
  if (symbol === undefined || !(symbol in reply))
    symbol = Object.getOwnPropertySymbols(reply).find(({ description }) => description === 'fastify.reply.serializer')
  return (symbol && (Reflect.get(reply, symbol) as ReplySerializer | null)) ?? undefined
}
