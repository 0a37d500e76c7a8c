import type { ClientRequest, ClientResponse } from './message.js'
import { RestService, type RestServiceClass, type RestServiceSettings, transport } from './rest-service.js'

/**
 * An application that takes a connection: one of `createClient()`, or one of @feathersjs/feathers.
 */
export interface Connectable {
  rest?: unknown
  connection?: Connection
  defaultService?: unknown
  /** The functions that Feathers calls with each service. */
  mixins?: unknown[]
}

/**
 * A server, reached by one HTTP library. `app.configure(connection)` makes it the default:
 * `app.service(name)` finds services there.
 */
export interface Connection {
  (app: Connectable): void
  /** Creates a service of that server, for `app.use`. */
  service(name: string): RestService
  /** The class of its services. */
  readonly Service: RestServiceClass
  /** Sends a request. Replace it to see every request of the connection. */
  send(request: ClientRequest): Promise<ClientResponse>
}

/** Creates a connection. The settings are those of its services. */
export function createConnection(
  Class: RestServiceClass,
  send: Connection['send'],
  settings: Omit<RestServiceSettings, 'name' | typeof transport>
): Connection {
  let isUsed = false
  const service = (name: string) => new Class({ ...settings, name, [transport]: (request) => connection.send(request) })
  const configure = (app: Connectable) => {
    if (app.rest || isUsed) throw new Error('There is a connection already: call use() first')
    isUsed = true
    Object.assign(app, { rest: settings.connection, connection, defaultService: service })
    app.mixins?.unshift(addMethods)
  }
  const connection: Connection = Object.assign(configure, { Service: Class, send, service })
  return connection
}

/** Adds the custom methods that a registration names to a service of ours. */
export function addMethods(service: object, _path: string, options: { methods: readonly string[] }): void {
  if (service instanceof RestService) service.methods(...options.methods)
}
