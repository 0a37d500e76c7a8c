export type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
export type { MethodRoute, MethodRoutes, Routed, WithRoutes } from '../../types/call.js'
export type * from '../../types/client.js'
// biome-ignore format: the door fits on a page
export type {
  AroundHook, Hook, HookContext, HookMap, HookOptions, HookType, Listener, NextFunction, RecordListener, ServiceAddons,
  StandardEvent
} from '../../types/hooks.js'
export type * from '../../types/json.js'
export type { WithMethods } from '../../types/method.js'
export type * from '../../types/service.js'
export type { ServiceErrorClass } from '../core/errors.js'
// biome-ignore format: the door fits on a page
export {
  BadGateway, BadRequest, Conflict, Forbidden, GeneralError, Gone, LengthRequired, MethodNotAllowed, NotAcceptable,
  NotAuthenticated, NotFound, NotImplemented, PayloadTooLarge, PaymentError, ServiceError, Timeout, TooManyRequests,
  Unavailable, Unprocessable, UnsupportedMediaType, UriTooLong
} from '../core/errors.js'
export { createClient } from './application.js'
export { type AuthenticationClient, authentication, type ClientAuthenticationOptions } from './authentication.js'
export type { ClientRequest, ClientResponse } from './message.js'
export type { Connectable, Connection } from './rest.js'
export { type Adapter, type Rest, rest } from './rest.js'
export {
  type AdapterOptions,
  type RestService,
  RestService as AxiosClient,
  RestService as FetchClient,
  RestService as JqueryClient,
  RestService as RequestClient,
  RestService as SuperagentClient,
  type RestServiceClass,
  type RestServiceSettings
} from './rest-service.js'
export { memoryStorage, type Storage } from './token-store.js'
export { iterate } from './walk.js'
