import type { FastifyReply } from 'fastify'

/**
 * Lets Fastify's `handlerTimeout`, which is firing right now, skip a reply that `onSend` hooks
 * still hold: it would mark the answer as an error. Fastify skips a reply whose `sent` is `true`,
 * and reads that again after it has aborted `request.signal`. `reply.hijack()` sets it, too, but
 * for good: an `onSend` hook that fails could not be answered any more. Seen in Fastify 5.12.8.
 */
export function skipFastifyTimeout(reply: FastifyReply): void {
  Object.defineProperty(reply, 'sent', { value: true, configurable: true })
  // Before everything that the end of the call leads to.
  process.nextTick(() => Reflect.deleteProperty(reply, 'sent'))
}
