import { type Connection, rest } from '../../client/index.js'
import { addMethod } from '../../client/rest-service.js'
import { definitionOf } from '../../core/methods.js'
import { propertyOf } from './json.js'
import type { ExploredService, Operation } from './services.js'

/** A call of a method, with its arguments. */
export interface Call {
  readonly service: ExploredService
  readonly operation: Operation
  readonly id: string | undefined
  /** The values of placeholders. */
  readonly route: Readonly<Record<string, string>>
  readonly query: object
  /** `undefined` where it takes none, or where nothing is given. */
  readonly data: unknown
  /** Whether the events of the list are asked for, as they come. */
  readonly isStream?: boolean
}

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>

/** A service of a connection, with the custom methods of the document and their routes. */
export function serviceAt(connection: Connection, { path, operations }: ExploredService): Methods {
  const service = connection.service(path)
  for (const { name, route } of operations.values()) addMethod(service, name, definitionOf(name, route))
  return service as unknown as Methods
}

/** Makes a call by a connection. Its `fetch` gets the options. */
export const send = async (connection: Connection, call: Call, options?: object): Promise<unknown> =>
  (serviceAt(connection, call.service)[call.operation.name] as Methods[string])(...argumentsOf(call, options))

/** The placeholders that a call has no values for. */
export function missingIn({ service, operation, id, route }: Call): string[] {
  const names = [...service.placeholders, ...operation.placeholders].filter((name) => !propertyOf(route, name))
  return [...(operation.hasId && !id ? ['id'] : []), ...names.map((name) => `:${name}`)]
}

/** The arguments of a call, as the client takes them. */
export function argumentsOf({ operation, id, route, query, data }: Call, options?: object): unknown[] {
  const params = {
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(route).length > 0 && { route }),
    ...(options !== undefined && { connection: options })
  }
  const hasParams = Object.keys(params).length > 0
  // Methods that change records take an id or `null`.
  const takesId = operation.hasId || ['update', 'patch', 'remove'].includes(operation.name)
  return [...(takesId ? [id ?? null] : []), ...(operation.hasData ? [data] : []), ...(hasParams ? [params] : [])]
}

/**
 * The request that a call sends.
 * @throws what the client refuses: a path without a value for a placeholder
 */
export async function requestOfCall(
  call: Call,
  base: string,
  headers: Readonly<Record<string, string>>
): Promise<SentRequest> {
  let request: SentRequest | undefined
  const connection = rest(base, { headers }).fetch(fetch)
  connection.send = async (clientRequest) => {
    request = clientRequest as SentRequest
    return { status: 204, headers: {}, body: new ArrayBuffer(0) }
  }
  await send(connection, call)
  return request as unknown as SentRequest
}
