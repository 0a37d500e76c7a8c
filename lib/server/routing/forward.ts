import { validateHeaderName, validateHeaderValue } from 'node:http'
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preParsingHookHandler,
  RouteOptions
} from 'fastify'
import { GeneralError } from '../../core/errors.js'
import { fallbackMark } from '../../core/plugin-state.js'
import { requestStateOf } from '../../core/request-state.js'
import type { Forwarder } from '../../core/service-meta.js'
import type { Precedence } from './precedence.js'

/** A `Forwarder` with the types of Fastify. */
interface TypedForwarder {
  isFor(request: FastifyRequest): boolean
  answer(request: FastifyRequest, reply: FastifyReply): void
}

/**
 * Registers routes of all verbs that forward requests to another framework, with unread bodies. All
 * hooks of the application run before, even those for `onSend`.
 * @param urls under the prefix of the instance
 * @param preParsing answers 405 for services that are not forwarded
 */
export function registerForwarding(
  instance: FastifyInstance,
  urls: readonly string[],
  forwarder: Forwarder,
  precedence: Precedence,
  preParsing: preParsingHookHandler
): void {
  instance.removeAllContentTypeParsers()
  instance.addContentTypeParser('*', (request, payload, done) => done(replacedBody(request, payload)))
  const route = { ...toForwardingRoute(forwarder as TypedForwarder), preParsing }
  for (const method of instance.supportedMethods)
    for (const url of urls) precedence.add(instance, { ...route, method, url, prefixTrailingSlash: 'slash' as const })
}

/** Returns an error if a hook has replaced the body: it has read the original one. */
function replacedBody({ raw }: FastifyRequest, payload: unknown): GeneralError | null {
  if (payload === raw) return null
  return new GeneralError(
    'A preParsing hook has replaced the body of a request that Fastify does not answer itself: leave such bodies as they are'
  )
}

/** OpenAPI documents leave these routes out. */
const hidden: FastifySchema & { hide: true } = { hide: true }

/** @throws if hooks have set a header that can't be sent. Once forwarded, the request would hang */
function checkHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    validateHeaderName(name)
    for (const item of [value].flat()) if (item !== undefined) validateHeaderValue(name, String(item))
  }
}

function toForwardingRoute({ isFor, answer }: TypedForwarder): Omit<RouteOptions, 'url' | 'method'> {
  return {
    exposeHeadRoute: false,
    schema: hidden,
    config: { [fallbackMark]: true } as FastifyContextConfig,
    handler(request, reply) {
      if (!isFor(request)) {
        reply.callNotFound()
        return
      }
      requestStateOf(request).isForwarded = true
      reply.send()
    },
    // The answer to an error may have no body, too, such as a redirect.
    onError(request, _reply, _error, done) {
      requestStateOf(request).isForwarded = false
      done()
    },
    // Runs last: hooks of a route run after those of its instance.
    onSend(request, reply, payload, done) {
      // Errors of guards and hooks are answered here.
      const isEmpty = payload === undefined || payload === null
      const state = requestStateOf(request)
      if (!isEmpty || reply.statusCode >= 400 || !state.isForwarded) return done(null, payload)
      state.isForwarded = false
      try {
        checkHeaders(reply)
      } catch (error) {
        return done(error as Error)
      }
      reply.hijack()
      answer(request, reply)
    }
  }
}
