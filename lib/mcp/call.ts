import type { FastifyInstance } from 'fastify'
import type { Response } from 'light-my-request'
import { stringify } from 'qs'
import type { AroundHook } from '../../types/hooks.js'
import type { McpCall } from '../../types/service.js'
import { addingParameters, type Describable } from '../core/description.js'
import { attempt, BadRequest, errorFromJSON, toServiceError } from '../core/errors.js'
import { withTraits } from '../core/hooks.js'
import { isObject } from '../core/objects.js'
import { hintFor } from '../core/options.js'
import { fillPath } from '../core/path.js'
import { rawStateOf, requestStateOf } from '../core/request-state.js'
import { type CallerCredentials, requestAs } from '../shared/caller-requests.js'
import type { SelectedMethod } from './selection.js'
import type { Route, Tool } from './tool.js'

/** The arguments of a tool, as an agent has sent them. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** Whose calls they are, and for how long somebody waits for them. */
export interface CallSource {
  readonly app: FastifyInstance
  readonly credentials: CallerCredentials
  readonly signal: AbortSignal
  /** The value of `params.mcp`. */
  readonly mcp: McpCall
  /** Further headers of the request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBytes: number
}

/** The answer of a route. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The body. `undefined` if it is longer than `maxBytes`. */
  readonly text: string | undefined
}

/** Lets hooks of methods see in `params.mcp` that an agent calls. Clients can't set it. */
export function markCalls(methods: readonly SelectedMethod[], all: readonly Describable[]): void {
  const mark: AroundHook = async (context, next) => {
    const mcp = rawStateOf(context)?.mcp
    if (mcp !== undefined) context.params.mcp = mcp
    await next()
  }
  const hook = withTraits(mark, { isOutermost: true })
  const called = new Set(methods.map(({ entry }) => entry))
  // Such a call may ask any other service for more fields.
  const asksOthers = methods.some(({ entry, method }) => addingParameters(entry, method.name).length > 0)
  for (const entry of asksOthers ? all : called) {
    entry.hooks.add({ around: { all: [hook] } })
    entry.compose()
  }
}

/**
 * Calls the route of a tool as the caller, so that everything which holds for its REST API holds
 * here: guards, permissions, schemas, limits.
 *
 * @throws {BadRequest} if the arguments make no request
 */
export async function callRoute(route: Route, given: ToolArguments, source: CallSource): Promise<Answer> {
  const response = await sendToRoute(route, given, source)
  const { statusCode: status, headers } = response
  return { status, headers, text: await readText(response.stream(), source.maxBytes) }
}

/** Sends a request to the route of a tool. @throws {BadRequest} if the arguments make none */
export async function sendToRoute(
  route: Route,
  given: ToolArguments,
  source: CallSource,
  accept = 'application/json'
): Promise<Response> {
  const { app, credentials, signal, mcp, headers } = source
  const { method, form } = route
  const { query = {}, data, idempotencyKey, ...inPath } = given
  if (!isObject(query)) throw new BadRequest("'query' must be an object")
  if (idempotencyKey !== undefined && !isHeader(idempotencyKey))
    throw new BadRequest("'idempotencyKey' must be a text of ASCII characters")
  const wrong = Object.entries(inPath).find(([, value]) => !['string', 'number', 'undefined'].includes(typeof value))
  if (wrong !== undefined) throw new BadRequest(`'${wrong[0]}' must be a string or a number`)
  const path = fillPath(route.path, inPath, 'in the arguments')
  refuseLossyQuery(query, route.takesQuery)
  // JSON keeps `null`, numbers and long lists, which a URL can't.
  const isByBody = route.takesQuery && Object.keys(query).length > 0
  const search = isByBody ? '' : stringify(query)
  const body = isByBody ? query : data
  return requestAs(
    credentials,
    app,
    {
      method: (isByBody ? 'QUERY' : form.verb) as 'GET',
      url: `/${path}${search && `?${search}`}`,
      headers: {
        ...headers,
        accept,
        ...(form.byHeader && { 'x-service-method': method.name }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey })
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
      payloadAsStream: true,
      signal
    },
    (raw) => {
      requestStateOf(raw).mcp = mcp
    }
  )
}

/** Returns the answer that a route would give to an error. */
export function toErrorAnswer(error: unknown): Answer {
  const refusal = toServiceError(error)
  return { status: refusal.code, headers: {}, text: JSON.stringify(refusal) }
}

/** Returns the error that a route has answered. */
export function errorOf({ status, text }: Answer) {
  return errorFromJSON(
    status >= 400 ? status : 500,
    attempt(() => JSON.parse(String(text)))
  )
}

/** @throws {BadRequest} for an argument that the tool does not have */
export function refuseUnknownArguments({ argumentNames, listed }: Tool, given: ToolArguments): void {
  const unknown = Object.keys(given).find((name) => !argumentNames.includes(name))
  if (unknown === undefined) return
  throw new BadRequest(
    `The tool '${listed.name}' has no argument '${unknown.slice(0, 40)}', only: ${argumentNames.join(', ') || 'none'}${hintFor(unknown, argumentNames)}`
  )
}

const isHeader = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)

const maxQueryDepth = 10

/**
 * Refuses a query that is too deep, or of which a URL would lose a condition. Without it,
 * `removeMany` removes more records: `{ id: { $in: [] } }` would be all of them.
 *
 * @throws {BadRequest} if it is one
 */
function refuseLossyQuery(value: unknown, isJSON: boolean, depth = 0): void {
  const isContainer = typeof value === 'object' && value !== null
  const isEmpty = value === null || (isContainer && depth > 0 && Object.keys(value).length === 0)
  if (isEmpty && !isJSON) throw new BadRequest("'query' can't have null, an empty list or an empty object here")
  if (!isContainer) return
  if (depth === maxQueryDepth) throw new BadRequest("'query' is nested too deep")
  for (const [name, part] of Object.entries(value)) {
    if (!isJSON && (name in Object.prototype || !/^[^[\]]+$/.test(name)))
      throw new BadRequest(`'query' can't have the name '${name.slice(0, 40)}' here`)
    refuseLossyQuery(part, isJSON, depth + 1)
  }
}

async function readText(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    // Leaving the loop ends the stream.
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
