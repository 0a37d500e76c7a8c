import type { HookContext } from '../../types/hooks.js'
import type { Interceptor } from './compose.js'
import type { SecurityScheme } from './hooks.js'

/**
 * Another framework that answers requests, and reads their bodies. It gets the request and the
 * reply of the server.
 */
export interface Forwarder {
  /**
   * Whether the framework takes a request. Otherwise it is answered as a request without a route.
   */
  isFor(request: never): boolean
  /**
   * Answers a request. Hooks that the server runs for each answer are over, and their headers are
   * to be on this one.
   */
  answer(request: never, reply: never): void
}

/**
 * A service that another framework has made: its methods have hooks of its own, and it emits its
 * own events.
 */
export interface MountedService {
  /** The result of `app.service(path)`: calls of the server go to it directly. */
  readonly service: object
  /** Who has made it: `'the Feathers application'`. */
  readonly origin: string
  /** Returns the `context.app` of hooks for an instance. */
  application(instance: object): unknown
  /**
   * Calls the method of a context for a client, and puts the outcome into the context, also if it
   * fails. It notifies for each result or `dispatch` that one of its own hooks sets.
   */
  call(context: HookContext, notify: (context: HookContext) => void): Promise<void>
  /**
   * Puts an interceptor around all calls of its methods, also by its own hooks. The interceptor
   * gets the context of its framework.
   */
  intercept(interceptor: Interceptor): void
  /**
   * Answers all requests for the service, in place of `call`, without the hooks of all services.
   */
  readonly forwarder?: Forwarder
  /** The content type of a result that is a text. Default: it is JSON. */
  readonly textType?: (text: string) => string
}

/**
 * The schema of a method, as Fastify knows it: of one record, with what OpenAPI documents say
 * besides.
 */
export interface MethodSchema {
  readonly body?: unknown
  readonly querystring?: unknown
  readonly params?: unknown
  readonly response?: unknown
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  readonly hide?: boolean
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly [key: string]: unknown
}

/**
 * The documentation of a method of an object of this package. Nothing is validated by its schemas.
 */
export interface MethodDocumentation extends MethodSchema {
  /**
   * Whether it is shown at the URL of a record. Default: as its row in the table of methods says.
   */
  readonly hasId?: boolean
  /** The alternatives by which a caller may authenticate. Default: those of its guards. */
  readonly callers?: readonly Readonly<Record<string, SecurityScheme>>[]
}

/** Records of a service as its answers show them, for the answers of another service. */
export interface RecordView {
  /** Returns the copy of a result of `get` that a client gets: fields that it may not see are left out. */
  project(result: unknown): unknown
  /** Redacts the same fields in an error. */
  redactError<E>(error: E): E
}

/** Metadata of a service, or of the object that it was made of. */
interface ServiceMeta {
  /** The service of another framework that the object represents, wherever it is registered. */
  mounted?: MountedService
  /**
   * Stands around the calls of the methods of the service. A call that a hook has answered does not
   * get there.
   */
  interceptor?: Interceptor
  /**
   * Calls of the service that have succeeded, and whose events were emitted, wait for it. They fail
   * if it rejects.
   */
  awaitAfter?: (context: HookContext) => Promise<void>
  /** Set if the schema of the service says which fields of its records clients get. */
  view?: RecordView | undefined
  /** Documents the methods of the object. It is called each time the object is described. */
  document?: () => Readonly<Record<string, MethodDocumentation>>
  /**
   * Whether callers log in or manage their logins here: guards, permissions, versions and keys for
   * all services don't apply.
   */
  isForLogins?: boolean
  /** Whether it carries out calls of other services. */
  isBatch?: boolean
  /** Whether no cache may keep an answer of the service, not even an error. */
  hasSecretAnswers?: boolean
  /** Whether its records are in memory, so that no transaction can roll them back. */
  isInMemory?: boolean
  /** Whether `app.service(path)` returns the object. */
  isRegistered?: boolean
  /** The user's object that it was made of, if it is registered. */
  object?: object
  /**
   * The fields of its records that never leave the server: those of all authentications that use
   * it.
   */
  secrets?: Set<string>
  /** The users of the API keys that it stores. */
  keyUsers?: { readonly service: object; readonly serviceName: string }
  /** How its table sorts `null`, if the adapter knows. */
  nullOrder?: 'smallest' | 'largest' | undefined
  /** The columns of its table, if the adapter knows them. */
  columns?: readonly string[]
  /**
   * Steps that the service already takes to store passwords and names of users: several strategies,
   * and several authentications, may share it.
   */
  preparedFor?: Set<string>
  /** Whether logins of other authentications are taken out of the params of its calls. */
  hasOwnLogins?: boolean
}

// In a map, not on the objects: members of an object show on its service.
const metaByObject = new WeakMap<object, ServiceMeta>()

export function metaOf(object: object): ServiceMeta {
  const meta = metaByObject.get(object) ?? {}
  metaByObject.set(object, meta)
  return meta
}

/** Returns the user's object that a service was made of, or the service itself. */
export const implementationOf = (service: object): object => metaOf(service).object ?? service

/** Whether a registered service is for logins. */
export const isForLogins = (service: object): boolean => metaOf(implementationOf(service)).isForLogins === true
