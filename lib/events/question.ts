import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { callStateOf } from '../core/call-state.js'
import { clientOf } from '../core/http-call.js'

/** Who is asked for: what a request has said of its caller. */
export interface CallerIdentity {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly remoteAddress: string
}

/** Headers that are about one request, or about its answer. */
const ofRequest =
  /^(:.*|accept|accept-encoding|connection|content-.*|expect|if-.*|keep-alive|last-event-id|prefer|range|te|trailer|transfer-encoding|upgrade|x-events-call|x-service-method)$/
/** What a request says of its caller, for calls that are made for them later. */
export function identityOf(request: FastifyRequest): CallerIdentity {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !ofRequest.test(name)) headers[name] = value
  // HTTP/2 has the host under another name.
  const { ':authority': host } = request.headers
  if (typeof host === 'string') headers.host ??= host
  return { headers, remoteAddress: request.raw.socket.remoteAddress ?? '127.0.0.1' }
}

/**
 * A `find` or `get` that is called for a subscriber, with its guards and hooks. It shows what has
 * reached the method.
 */
export interface Question {
  readonly method: 'find' | 'get'
  /** Answers in place of the method. Without it, the method runs. */
  answer?(): unknown
  /**
   * The params as they have reached the method; `undefined` where a hook has answered before, or
   * refused.
   */
  params: Readonly<Record<string, unknown>> | undefined
  /** The path of the service whose method it was. */
  path: string | undefined
  /** The fields that its answer has, where a hook leaves others out. */
  fields?: readonly string[] | undefined
  /** The fields of a record by which hooks hold it to placeholders of the path. */
  parentFields?: Readonly<Record<string, string>> | undefined
}

/** A request of the application itself. */
interface OwnRequest {
  readonly url: string
  readonly credentials: CallerIdentity
  readonly signal?: AbortSignal | undefined
  /** The query as JSON: it is asked by QUERY then. */
  readonly body?: object | undefined
}

const ticketHeader = 'x-services-question'
const secret = randomUUID()
const open = new Map<string, Question>()
let tickets = 0

/**
 * Sends a request that asks a question. The header that leads to it works once, and for the call of
 * that request alone.
 */
export async function askQuestion(
  app: FastifyInstance,
  question: Question,
  { url, credentials, signal, body }: OwnRequest
): Promise<Awaited<ReturnType<FastifyInstance['inject']>>> {
  tickets += 1
  const ticket = `${secret}${tickets}`
  open.set(ticket, question)
  const { headers, remoteAddress } = credentials
  try {
    return await app.inject({
      method: body === undefined ? 'GET' : ('QUERY' as 'GET'),
      url,
      headers: { ...headers, accept: 'application/json', [ticketHeader]: ticket },
      remoteAddress,
      ...(body && { payload: body }),
      ...(signal && { signal })
    })
  } finally {
    open.delete(ticket)
  }
}

/**
 * The question that a call was made for. Calls that its hooks make with the same params are calls
 * as others.
 */
export function questionOf(context: HookContext): Question | undefined {
  if (open.size === 0) return undefined
  const request = clientOf(context)?.request as FastifyRequest | undefined
  const ticket = String(request?.headers[ticketHeader])
  const question = open.get(ticket)
  if (question?.method !== context.method) return undefined
  open.delete(ticket)
  question.params = context.params as Question['params']
  question.path = context.path
  question.fields = callStateOf(context).answeredFields
  question.parentFields = callStateOf(context).parentFields
  return question
}
