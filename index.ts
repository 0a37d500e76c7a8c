export type { ErrorData, ErrorJSON, ServiceErrorClass } from './lib/core/errors.js'
// biome-ignore format: the door fits on a page
export {
  BadGateway, BadRequest, Conflict, Forbidden, GeneralError, Gone, LengthRequired, MethodNotAllowed, NotAcceptable,
  NotAuthenticated, NotFound, NotImplemented, PayloadTooLarge, PaymentError, ServiceError, Timeout, TooManyRequests,
  Unavailable, Unprocessable, UnsupportedMediaType, UriTooLong
} from './lib/core/errors.js'
export { commonOperators } from './lib/core/operators.js'
export { resource } from './lib/core/resource/resource.js'
export { type SearchOptions, search } from './lib/core/search.js'
export { stableOrder } from './lib/core/stable-order.js'
export { memoryStore, type Store } from './lib/core/store.js'
export { corsOptions } from './lib/server/cors.js'
export { errorHandler, frameworkErrors, notFound } from './lib/server/errors/error-handler.js'
export { default } from './lib/server/plugin.js'
export type { Version } from './lib/writes/etag.js'
export { type IdempotencyOptions, idempotency } from './lib/writes/idempotency.js'
export { type VersionOptions, version } from './lib/writes/version.js'
export type { MethodRoute, MethodRoutes, Routed, StoresRecord, WithRoutes } from './types/call.js'
export type { Deprecation } from './types/deprecation.js'
export type * from './types/fastify.js'
// `…In` has a parameter more, the application: declarations of other packages name it.
export type {
  HookContext as HookContextIn,
  HookMembers,
  HookOptions as HookOptionsIn,
  HookType,
  Http,
  Listener,
  NextFunction,
  RecordListener,
  ServiceAddons,
  StandardEvent,
  TracedCall
} from './types/hooks.js'
export type { Identity, UndeclaredUser } from './types/identity.js'
export type { Listed } from './types/listing.js'
export type { MayOf, NoParams, UntypedParams, WithInclude, WithMay, WithMethods } from './types/method.js'
export type * from './types/resource.js'
export type * from './types/service.js'
