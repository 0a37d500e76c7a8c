import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { clientOf } from '../core/http-call.js'

/** The headers and the address by which a caller is authenticated again in later requests. */
export interface CallerCredentials {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly remoteAddress: string
}

/** Headers about a single request, or about its response. */
const requestHeaders =
  /^(:.*|accept|accept-encoding|connection|content-.*|expect|if-.*|keep-alive|last-event-id|mcp-.*|prefer|range|te|trailer|transfer-encoding|upgrade|x-events-call|x-service-method)$/

/**
 * Returns what identifies the caller of a request. All other headers are kept, since an application
 * may read its tenant or an API key from any of them.
 */
export function credentialsOf(request: FastifyRequest): CallerCredentials {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !requestHeaders.test(name)) headers[name] = value
  // The name of the host header in HTTP/2.
  const { ':authority': host } = request.headers
  if (typeof host === 'string') headers.host ??= host
  return { headers, remoteAddress: request.raw.socket.remoteAddress ?? '127.0.0.1' }
}

/**
 * State of the server that goes with a request to its own routes. The request names it by a ticket
 * in a header, which no client can guess.
 */
export class Tickets<State> {
  readonly #header: string
  readonly #secret = randomUUID()
  readonly #states = new Map<string, State>()
  #count = 0

  /** @param header the name of the header, in lower case */
  constructor(header: string) {
    this.#header = header
  }

  /** Sends a request with a ticket, which is good until the answer. */
  async send<Answer>(
    state: State,
    inject: (ticket: Readonly<Record<string, string>>) => Promise<Answer>
  ): Promise<Answer> {
    this.#count += 1
    const ticket = `${this.#secret}${this.#count}`
    this.#states.set(ticket, state)
    try {
      return await inject({ [this.#header]: ticket })
    } finally {
      this.#states.delete(ticket)
    }
  }

  /**
   * Returns the state of the request that a call belongs to, and ends its ticket. Calls that hooks
   * make with the same params are calls of the server, and have no state.
   * @param isFor whether the state is for this call. Otherwise the ticket stays good
   */
  take(context: HookContext, isFor: (state: State) => boolean = () => true): State | undefined {
    if (this.#states.size === 0) return undefined
    const request = clientOf(context)?.request as FastifyRequest | undefined
    const ticket = String(request?.headers[this.#header])
    const state = this.#states.get(ticket)
    if (state === undefined || !isFor(state)) return undefined
    this.#states.delete(ticket)
    return state
  }
}
