import { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Params } from '../../types/service.js'
import { attempt } from '../core/errors.js'
import type { Forwarder } from '../core/service-meta.js'
import { paramsFromHooks } from './authentication.js'
import type { FeathersService, MountedApplication, RequestListener } from './mounted.js'

interface RequestForwarder extends Forwarder {
  isFor(request: FastifyRequest): boolean
  answer(request: FastifyRequest, reply: FastifyReply): void
}

/**
 * Creates the forwarder that lets the framework of an application answer requests, as it would on
 * its own server.
 * @param served the services that Fastify answers: their requests are not forwarded, however their
 * URLs are written
 */
export function createForwarder(
  application: MountedApplication,
  { prefix }: FastifyInstance,
  served: ReadonlySet<FeathersService>
): RequestForwarder {
  let listener: RequestListener | undefined
  const depth = prefix.split('/').length - 1
  // A prefix may have placeholders.
  const prefixPattern = new RegExp(`^(?:/[^/?]*){${depth}}`)
  const withoutPrefix = (url: string) => {
    const rest = url.replace(prefixPattern, '')
    return depth === 0 || rest.startsWith('/') ? rest : `/${rest}`
  }
  return {
    isFor({ raw: { url = '' } }) {
      const path = pathOf(withoutPrefix(url))
      if (path === undefined) return false
      // The lookup throws for segments that are names of prototypes.
      const lookup = attempt(() => ({ service: application.lookup?.(path)?.service as FeathersService | undefined }))
      return lookup !== undefined && (lookup.service === undefined || !served.has(lookup.service))
    },
    answer(request, reply) {
      copyHeaders(reply)
      const { raw } = request
      const { url = '' } = raw
      if (depth > 0) Object.assign(raw, { originalUrl: url, url: withoutPrefix(url) })
      forwardedParams.set(raw, paramsFromHooks(request, application))
      listener ??= application.callback === undefined ? expressListener(application) : koaListener(application)
      listener(raw, reply.raw)
    }
  }
}

/** The params of calls by forwarded requests. Koa and Express let middleware add to them. */
const forwardedParams = new WeakMap<IncomingMessage, Params>()

interface KoaContext {
  status: number
  readonly body: unknown
}

interface KoaLike {
  readonly middleware: readonly unknown[]
  callback(): RequestListener
  createContext(request: IncomingMessage, response: ServerResponse): object
}

function koaListener(application: object): RequestListener {
  const koa = application as KoaLike
  const createContext: KoaLike['createContext'] = (request, response) =>
    Object.assign(koa.createContext(request, response), { feathers: forwardedParams.get(request) })
  const middleware = [setErrorStatus, ...koa.middleware]
  return koa.callback.call(
    Object.create(koa, { createContext: { value: createContext }, middleware: { value: middleware } })
  )
}

/**
 * Sets the status of service errors. The error handler of `@feathersjs/koa` answers them with 500,
 * since it knows only the errors of `@feathersjs/errors`.
 */
async function setErrorStatus(context: KoaContext, next: () => Promise<unknown>): Promise<void> {
  await next()
  const { code, className } = Object(context.body)
  if (context.status === 500 && className !== undefined && code >= 400 && code < 600) context.status = code
}

/**
 * Express replaces the prototypes of messages. Messages of `app.inject()` have classes that it does
 * not know.
 */
const expressListener =
  (application: object): RequestListener =>
  (request, response) => {
    keepMembers(request, [IncomingMessage.prototype, Readable.prototype])
    keepMembers(response, [ServerResponse.prototype])
    Object.assign(request, { feathers: forwardedParams.get(request) })
    ;(application as RequestListener)(request, response)
  }

/** Copies the members of an object's classes to the object itself, except for Node's classes. */
function keepMembers(object: object, nodePrototypes: readonly object[]): void {
  for (let proto = Object.getPrototypeOf(object); !nodePrototypes.includes(proto); proto = Object.getPrototypeOf(proto))
    for (const name of Reflect.ownKeys(proto))
      if (!Object.hasOwn(object, name))
        Object.defineProperty(object, name, Object.getOwnPropertyDescriptor(proto, name) as PropertyDescriptor)
}

/**
 * Returns the path of a URL as Koa and Express read it. They read URLs with a host, a `#` or spaces
 * in other ways: those are not forwarded.
 */
const pathOf = (url: string): string | undefined => (/[#\s]/.test(url) ? undefined : /^\/[^?]*/.exec(url)?.[0])

/** Headers that describe a body of Fastify. */
const contentHeaders = ['content-type', 'content-length', 'content-encoding', 'transfer-encoding']

/**
 * Copies the headers that hooks have set to the answer of the framework. They stay if the framework
 * removes all headers of an answer that fails.
 */
function copyHeaders(reply: FastifyReply): void {
  const { raw } = reply
  const headers = Object.entries(reply.getHeaders()).filter(
    ([name, value]) => value !== undefined && !contentHeaders.includes(name)
  ) as [string, string | string[]][]
  for (const [name, value] of headers) raw.setHeader(name, value)
  const { writeHead } = raw
  raw.writeHead = (...args: unknown[]) => {
    for (const [name, value] of headers) if (!raw.hasHeader(name)) raw.setHeader(name, value)
    return Reflect.apply(writeHead, raw, args)
  }
}
