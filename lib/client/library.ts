import type { StreamKind } from '../core/content.js'
import type { ClientRequest, ClientResponse } from './message.js'
import type { AdapterOptions } from './rest-service.js'

/** An HTTP library that the client can send requests with. `rest.ts` lists them. */
export interface Library<Name extends string, L, Options = AdapterOptions> {
  /** The name of its adapter: `rest(address)[name]`. */
  readonly name: Name
  /** The kinds of streams that it can send. Default: none. */
  readonly streams?: readonly StreamKind[]
  /** Whether it uses XMLHttpRequest in a page, which always follows redirects. */
  readonly isXHR?: boolean
  /** Sends a request. It rejects when there is no answer, and never because of a status. */
  send(library: L, request: ClientRequest): Promise<ClientResponse>
  /** @throws when the library can't work with the options of the adapter */
  check?(options: Options): void
}
