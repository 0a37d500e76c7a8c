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
import { fallbackMark } from '../../core/host.js'
import type { Handover } from '../../core/service-meta.js'
import { requestStateOf } from '../request/request.js'
import type { Precedence } from './precedence.js'

/** What answers a request in place of Fastify, with the types that this server has. */
export interface Answering {
  isFor(request: FastifyRequest): boolean
  answer(request: FastifyRequest, reply: FastifyReply): void
}

/**
 * Registers routes of all verbs whose requests somebody else answers. All hooks of the application
 * run before, those for `onSend` too, and nobody reads the body.
 * @param urls under the prefix of the instance
 * @param preParsing refuses what a service of ours would have answered
 */
export function registerHandover(
  instance: FastifyInstance,
  urls: readonly string[],
  handover: Handover,
  precedence: Precedence,
  preParsing: preParsingHookHandler
): void {
  instance.removeAllContentTypeParsers()
  instance.addContentTypeParser('*', (request, payload, done) => done(isRead(request, payload)))
  const route = { ...toHandoverRoute(handover as Answering), preParsing }
  for (const method of instance.supportedMethods)
    for (const url of urls) precedence.add(instance, { ...route, method, url, prefixTrailingSlash: 'slash' as const })
}

/** The error for a body that a hook has replaced: what it was made of is gone. */
function isRead({ raw }: FastifyRequest, payload: unknown): GeneralError | null {
  if (payload === raw) return null
  return new GeneralError(
    'A preParsing hook has replaced the body of a request that Fastify does not answer itself: leave such bodies as they are'
  )
}

/** What documents leave out. */
const hidden: FastifySchema & { hide: true } = { hide: true }

/**
 * @throws when hooks have set a header that can't be sent. Nobody would answer such a request once
 * it is handed over
 */
function checkHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    validateHeaderName(name)
    for (const item of [value].flat()) if (item !== undefined) validateHeaderValue(name, String(item))
  }
}

function toHandoverRoute({ isFor, answer }: Answering): Omit<RouteOptions, 'url' | 'method'> {
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
    // The answer to an error may have no body either, as a redirection.
    onError(request, _reply, _error, done) {
      requestStateOf(request).isForwarded = false
      done()
    },
    // A hook of a route runs after those of its instance, whenever they were added.
    onSend(request, reply, payload, done) {
      // An error is answered here: one of a guard, or of a hook that has failed.
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
