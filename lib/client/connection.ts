import { type Headers, mergeHeaders } from './headers.js'
import type { ClientRequest, ClientResponse } from './message.js'
import { type AdapterOptions, RestService, type RestServiceSettings, transport } from './rest-service.js'

/** A class of services: one of ours, or one that extends it. */
export type RestServiceClass = new (settings: RestServiceSettings) => RestService

/** An application that a connection can be configured on: ours, or one of @feathersjs/feathers. */
export interface Connectable {
  rest?: unknown
  connection?: Connection
  defaultService?: unknown
  /** What Feathers does with each service. */
  mixins?: unknown[]
}

/** A server, over one library. `app.configure(connection)` makes it the one that services are looked up on. */
export interface Connection {
  (app: Connectable): void
  /** Makes a service of that server, for `app.use`. */
  service(name: string): RestService
  /** The class of its services. */
  readonly Service: RestServiceClass
  /** Sends a request. What is put in its place sees every request of the connection. */
  send(request: ClientRequest): Promise<ClientResponse>
}

/** What a connection is made of. */
export interface ConnectionSettings {
  readonly base: string
  readonly library: unknown
  readonly options: AdapterOptions
  readonly Class: RestServiceClass
  send(request: ClientRequest): Promise<ClientResponse>
}

/** Makes a connection. */
export function createConnection({ base, library, options, Class, send }: ConnectionSettings): Connection {
  let taken = false
  const connection: Connection = Object.assign(
    (app: Connectable) => {
      if (app.rest !== undefined || taken)
        throw new Error(
          "One default connection for one application: use('/name', connection.service('name')) for others"
        )
      taken = true
      Object.assign(app, { rest: library, connection, defaultService: connection.service })
      app.mixins?.unshift(addMethods)
    },
    {
      Service: Class,
      send,
      service: (name: string) =>
        new Class({ name, base, connection: library, options, [transport]: (request) => connection.send(request) })
    }
  )
  return connection
}

/** Adds the custom methods that a registration names, and that the service lacks. */
export function addMethods(
  service: object,
  _path: string,
  { methods = [] }: { methods?: readonly string[] } = {}
): void {
  if (service instanceof RestService) service.methods(...methods)
}

/** Options of an adapter over those of its server. */
export const mergeOptions = (...options: AdapterOptions[]): AdapterOptions & { headers: Headers } =>
  Object.assign({}, ...options, { headers: mergeHeaders(...options.map(({ headers }) => headers)) })
