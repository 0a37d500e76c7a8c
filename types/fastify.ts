import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, preHandlerHookHandler } from 'fastify'
import type { MethodRoutes, NamedRoutes, RoutesOption } from './call.js'
import type { Deprecation } from './deprecation.js'
import type {
  AroundHook as Around,
  RegisteredService as Called,
  HookContext as Context,
  FeathersMembers,
  HookMembers,
  HookOptions as Hooks,
  HookType,
  HookMap as Mapped,
  Hook as Plain
} from './hooks.js'
import type { Identity } from './identity.js'
import type { Listed, Listing, PathOf, Registered, ServiceAt } from './listing.js'
import type { MethodName, MethodOption, Untyped } from './method.js'
import type { CheckedBy } from './resource.js'
import type { Registrable, ServiceObject } from './service.js'
import type { FitsTable } from './table-fit.js'

/**
 * Options of the query parser `qs`, without `plainObjects` and `allowPrototypes`, which would let
 * clients reach the operators of database adapters.
 */
export interface QueryOptions {
  /** A list with more items than this becomes an object with index keys. Default 20. */
  arrayLimit?: number
  /**
   * Deeper nesting than this is refused (400). `false`: nothing nests, and `a[b]` is a name.
   * Default 5.
   */
  depth?: number | false
  /** More parameters than this are refused (400). Default 1000. */
  parameterLimit?: number
  /** Whether `a.b=1` nests as `a[b]=1` does. Default `false`. */
  allowDots?: boolean
  /** Whether `a=1,2` is a list. Default `false`. */
  comma?: boolean
  /** Whether `a[]` is an empty list. Default `false`. */
  allowEmptyArrays?: boolean
  /** Whether a name without `=` is `null` instead of `''`. Default `false`. */
  strictNullHandling?: boolean
}

/** Options of the query parser, or your own parser, which gets the query string without `?`. */
export type QueryParser = QueryOptions | ((query: string) => Record<string, unknown>)

/**
 * The type of `context.app`: the instance. If `@feathersjs/feathers` is installed, it also fits
 * hooks that are typed for Feathers.
 */
export type HookApplication = FeathersMembers<FastifyInstance & HookMembers> & HookMembers & FastifyInstance

// Hooks that are typed for Feathers may have the application as the first type argument.
type ServiceType<S> = [S] extends [FastifyInstance] ? unknown : S

/**
 * The context of a call, for hooks. `app` is the instance that the service was registered on.
 * `HookContext<Messages, 'create'>` has the types of that method. Without a service, `data`,
 * `params` and `result` are `any`, as in Feathers.
 */
export type HookContext<S = unknown, M extends string = string> = Context<ServiceType<S>, M, HookApplication>

/**
 * The context of a call for hooks that decide by its user. `params.user` has the type that
 * `Identity` declares.
 */
export type CallerContext = HookContext & { readonly params: Partial<Identity> }

/**
 * Hooks of one type by method. `all`, or a function or list instead of the object, is for every
 * method.
 */
export type HookMap<S = unknown, Type extends HookType = HookType> = Mapped<S, Type, HookApplication>

/** Hooks by type and method. */
export type HookOptions<S = unknown> = Hooks<S, HookApplication>

/** A hook around the call: it calls `await next()` to run the rest of the call. */
export type AroundHook<C = HookContext> = Around<C>

/** A before, after or error hook. An object that it returns is merged into the context. */
export type Hook<C = HookContext> = Plain<C>

/**
 * A service as `app.service(path)` returns it. `M` names its custom methods. If the path `P` has
 * placeholders, calls need their values.
 */
export type RegisteredService<S = unknown, M extends string = never, P = unknown> = Called<S, HookApplication, M, P>

/** The first argument of `setup` and `teardown` of a service. */
export type Application = FastifyInstance

/**
 * Middleware of a service: a Fastify hook, async `(request, reply)` or `(request, reply, done)`.
 */
export type Middleware = preHandlerHookHandler

/**
 * Returns the payload for `reply.data`, which Fastify sends. It may negotiate with `reply.format`,
 * or send by itself and return nothing.
 */
export type Formatter = (request: FastifyRequest, reply: FastifyReply) => unknown

/**
 * Renders an error as a page. It returns the HTML, or sends by itself and returns nothing. It may
 * be async.
 */
export type ErrorPage = (error: Error & { code: number }, request: FastifyRequest, reply: FastifyReply) => unknown

/** Options of the error handler (docs/errors.md#options). */
export interface ErrorHandlerOptions {
  /**
   * HTML for requests that do not ask for JSON: a function, or an object from a status code (or
   * `default`) to the path of a page or to a function. `false`: always JSON. Default: a built-in
   * page.
   */
  html?: ErrorPage | { readonly [status: number]: string | ErrorPage; readonly default?: string | ErrorPage } | false
  /**
   * Its `error` is called with each error. `false`: nothing is logged. Default: `request.log`, with
   * the level `error` for 5xx. Below, `info` gets the message and `debug` the stack.
   */
  logger?: { error(error: unknown): unknown } | false
  /**
   * Whether clients get the message of a 5xx that is no service error. Default: unless `NODE_ENV`
   * is `production`.
   */
  expose?: boolean
  /** Whether the JSON of an error has the request id, as `data.requestId`. Default `false`. */
  requestId?: boolean
  /**
   * Whether JSON errors are problem details (RFC 9457), unless a request accepts `application/json`
   * alone. Default `false`: only if a request accepts `application/problem+json` by name.
   */
  problem?: boolean
}

/** Options of the not-found handler (docs/errors.md#options). */
export interface NotFoundOptions extends ErrorHandlerOptions {
  /** Whether the message names the URL. Default `false`. */
  verbose?: boolean
}

/** Options of the plugin. */
export interface ServicesOptions {
  query?: QueryParser
  /** Default: the data as JSON; buffers, streams and `Response` objects as they are. */
  formatter?: Formatter
  /** Hooks for every service. */
  hooks?: HookOptions
  /** Sets the not-found handler of this instance. Default: it is not changed. */
  notFound?: NotFoundOptions | boolean
  /** How the routes of services answer errors. The application's error handler is not changed. */
  errorHandler?: ErrorHandlerOptions
}

/**
 * Options of one service. `Named` is the same service, for the names in `methods`: `app.service()`
 * wraps the first in `NoInfer`, and a list of names must not make TypeScript infer the service
 * before the arguments of its methods have types.
 */
export interface ServiceOptions<S = unknown, M extends string = string, R = MethodRoutes, Named = S> {
  // `schema` is the first member, so that TypeScript compares options of an unknown service with
  // those of a known one member by member.
  /**
   * Fastify schemas by method. `body` and `response` describe ONE record: lists, pages and batches
   * are validated and serialized item by item. `resource()` gives all of them.
   */
  schema?: { readonly [Name in MethodName<S>]?: FastifySchema } & CheckedBy<S>
  /**
   * The methods that clients may call: standard and custom ones. Default: the standard methods that
   * exist.
   */
  methods?: readonly MethodOption<Named, M>[]
  /**
   * Routes of custom methods, such as `{ publish: 'POST /:id/publish' }`. Default: `POST` with the
   * header `X-Service-Method`.
   */
  routes?: RoutesOption<S, R>
  /**
   * The events that the service emits itself: a standard one listed here is not emitted for it.
   * Default: its `events` property.
   */
  events?: readonly string[]
  hooks?: HookOptions<S>
  /** Middleware that runs before the call, in order. REST only. */
  before?: Middleware | readonly Middleware[]
  /**
   * Middleware that runs after the call, in order. It can read `reply.data` and `reply.hook`. If
   * one sends by itself, the chain ends.
   */
  after?: Middleware | readonly Middleware[]
  /** Replaces the formatter of the plugin. */
  formatter?: Formatter
  /** The `config` of the routes, for hooks as `request.routeOptions.config`. */
  config?: Record<string, unknown>
  /** The maximum size of a body in bytes. Default: the `bodyLimit` of the instance. */
  bodyLimit?: number
  /**
   * The timeout of a call, in ms: then the client gets 503, and `params.signal` aborts. Default:
   * the `handlerTimeout` of the instance.
   */
  handlerTimeout?: number
  /**
   * Whether the service is deprecated, or some of its methods, and since when: their answers have
   * the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.
   */
  deprecated?: true | Deprecation
}

/**
 * Looks up a service, or registers one. Each signature has another number of arguments, so that
 * TypeScript reports an error for only one of them.
 */
export interface ServiceFunction {
  /**
   * Returns the service at a path, first below this instance's prefix, then below the root. With a
   * type, `app.service<Messages>(path)`, the path need not be in `Services`.
   * @throws if there is none
   */
  <S = Listing, P extends PathOf<S> = PathOf<S>>(path: P): RegisteredService<ServiceAt<P, S>, never, P>
  /**
   * Registers an object as the service at a path, relative to the prefix of this instance.
   * @throws if the path is taken, the server is ready, or the object has none of the methods
   */
  <S extends object, M extends string = never, P extends string = string, R extends MethodRoutes = MethodRoutes>(
    path: P,
    service: [Listed<P>] extends [never]
      ? S | (ServiceObject & ThisType<Untyped>)
      : FitsTable<S, ServiceAt<P>> & S & Registrable<ServiceAt<P>> & ThisType<Untyped>,
    options?: ServiceOptions<NoInfer<NamedRoutes<Registered<S, P>, R>>, M, R, Registered<S, P>>
  ): RegisteredService<NamedRoutes<Registered<S, P>, R>, M, P>
}

declare module 'fastify' {
  interface FastifyInstance {
    service: ServiceFunction
    /**
     * Replaces `ready()` if the server was created elsewhere: waits for the instance and runs the
     * setup of the services with that server. Afterwards the server may listen.
     * @throws if the setup has run already
     */
    setup(server?: unknown): Promise<void>
    /** Returns a text that lists each method with its verb, its path and who may call it. */
    printServices(): string
  }

  interface FastifyRequest {
    /** Its properties become params of the service call. Assigning an object merges it. */
    get feathers(): Record<string, unknown>
    set feathers(params: Record<string, unknown>)
  }

  interface FastifyReply {
    /** The result of the service, which the formatter sends. */
    data: unknown
    /** The hook context of the service call. */
    hook: HookContext | null
    /**
     * Calls the function that matches the request's `Accept` best, sets `Content-Type` and `Vary`,
     * and returns its result.
     * @throws {NotAcceptable} if none matches and there is no `default`
     */
    format(types: { readonly [type: string]: (request: FastifyRequest, reply: FastifyReply) => unknown }): unknown
  }
}
