import { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Params } from '../../types/service.js'
import { attempt, ServiceError } from '../core/errors.js'
import type { Handover } from '../core/object-facts.js'
import { type FeathersService, type Listener, type Mounted, optionsOf } from './mounted.js'
import { propertiesFor } from './parse-authentication.js'

/**
 * Lets the framework of an application answer requests, as a server of its own would.
 * @param ours are the services that Fastify answers: the framework answers none of them, however
 * their URLs are spelt
 * @param errorHandler is that of `@feathersjs/koa`, where the framework is Koa
 */
export function createHandover(
  application: Mounted,
  { prefix }: FastifyInstance,
  ours: ReadonlySet<FeathersService>,
  errorHandler?: KoaMiddleware
): Handover & { answer(request: FastifyRequest, reply: FastifyReply): void } {
  let listener: Listener | undefined
  const parents = prefix.split('/').length - 1
  // A prefix may have placeholders.
  const before = new RegExp(`^(?:/[^/?]*){${parents}}`)
  const toLocal = (url: string) => {
    const rest = url.replace(before, '')
    return parents === 0 || rest.startsWith('/') ? rest : `/${rest}`
  }
  return {
    isFor({ raw: { url = '' } }: FastifyRequest) {
      const path = pathOf(toLocal(url))
      if (path === undefined) return false
      // The lookup throws for segments that are names of prototypes.
      const lookup = attempt(() => ({ service: application.lookup?.(path)?.service as FeathersService | undefined }))
      return lookup !== undefined && (lookup.service === undefined || !ours.has(lookup.service))
    },
    answer(request, reply) {
      keepHeaders(reply)
      const { raw } = request
      const { url = '' } = raw
      if (parents > 0) Object.assign(raw, { originalUrl: url, url: toLocal(url) })
      properties.set(raw, propertiesFor(request, application))
      listener ??= application.callback === undefined ? ofExpress(application) : ofKoa(application, errorHandler)
      listener(raw, reply.raw)
    }
  }
}

/** What becomes params of a call, for each request. Koa and Express let middleware add to it. */
const properties = new WeakMap<IncomingMessage, Params>()

/** Answers a request in the context of Koa, or has the next one do so. */
export type KoaMiddleware = (context: { status: number }, next: () => Promise<unknown>) => Promise<unknown>

/** What `callback()` of Koa asks its application for. */
interface KoaLike {
  readonly middleware: readonly KoaMiddleware[]
  callback(): Listener
  createContext(request: IncomingMessage, response: ServerResponse): object
}

function ofKoa(application: object, errorHandler: KoaMiddleware | undefined): Listener {
  const koa = application as KoaLike
  const createContext: KoaLike['createContext'] = (request, response) =>
    Object.assign(koa.createContext(request, response), { feathers: properties.get(request) })
  const middleware = koa.middleware.map((handle) =>
    String(handle) === String(errorHandler) ? withStatus(handle) : handle
  )
  return koa.callback.call(
    Object.create(koa, { createContext: { value: createContext }, middleware: { value: middleware } })
  )
}

/**
 * The error handler of `@feathersjs/koa` knows the status of errors of `@feathersjs/errors` alone:
 * this one knows that of service errors, too.
 */
function withStatus(errorHandler: KoaMiddleware): KoaMiddleware {
  return async (context, next) => {
    let thrown: unknown
    await errorHandler(context, async () => {
      try {
        await next()
      } catch (error) {
        thrown = error
        throw error
      }
    })
    if (thrown instanceof ServiceError) context.status = thrown.code
  }
}

/**
 * Express gives its own prototypes to messages. Those of `app.inject()` are of classes that it
 * knows nothing of.
 */
const ofExpress =
  (application: object): Listener =>
  (request, response) => {
    keepMembers(request, [IncomingMessage.prototype, Readable.prototype])
    keepMembers(response, [ServerResponse.prototype])
    Object.assign(request, { feathers: properties.get(request) })
    ;(application as Listener)(request, response)
  }

/**
 * Keeps the framework from calling a service for requests that were handed over: middleware may
 * send one there from another URL.
 * @param isBarred whether the service is not to be called for such a request
 */
export function bar(service: FeathersService, isBarred: () => boolean): void {
  const { koa, express } = optionsOf(service)
  for (const around of [koa, express]) {
    const { composed } = around ?? {}
    if (around === undefined || composed === undefined) continue
    const call = (subject: unknown, ...rest: unknown[]) => {
      const raw = around === koa ? (subject as { req: IncomingMessage }).req : (subject as IncomingMessage)
      const next = rest.at(-1) as () => unknown
      return properties.has(raw) && isBarred() ? next() : composed(subject, ...rest)
    }
    // Express makes a router of it, which has members.
    around.composed = Object.assign(call, composed)
  }
}

/** Puts the members of the classes of an object on itself, down to those of Node. */
function keepMembers(object: object, ofNode: readonly object[]): void {
  for (let proto = Object.getPrototypeOf(object); !ofNode.includes(proto); proto = Object.getPrototypeOf(proto))
    for (const name of Reflect.ownKeys(proto))
      if (!Object.hasOwn(object, name))
        Object.defineProperty(object, name, Object.getOwnPropertyDescriptor(proto, name) as PropertyDescriptor)
}

/**
 * The path of a URL, as Koa and Express read it. They read URLs with a host, a `#` or spaces in
 * further ways, which are left alone.
 */
const pathOf = (url: string): string | undefined => (/[#\s]/.test(url) ? undefined : /^\/[^?]*/.exec(url)?.[0])

/** What says something of a body that Fastify has not made. */
const ofBody = ['content-type', 'content-length', 'content-encoding', 'transfer-encoding']

/**
 * Puts the headers that hooks have set on the answer. They stay where a framework removes those of
 * an answer that fails.
 */
function keepHeaders(reply: FastifyReply): void {
  const { raw } = reply
  const headers = Object.entries(reply.getHeaders()).filter(
    ([name, value]) => value !== undefined && !ofBody.includes(name)
  ) as [string, string | string[]][]
  for (const [name, value] of headers) raw.setHeader(name, value)
  const { writeHead } = raw
  raw.writeHead = (...args: unknown[]) => {
    for (const [name, value] of headers) if (!raw.hasHeader(name)) raw.setHeader(name, value)
    return Reflect.apply(writeHead, raw, args)
  }
}
