import type { HookContext } from '../../types/hooks.js'
import type { McpCall, Query } from '../../types/service.js'
import type { ListWalk } from './call-state.js'
import type { Run } from './compose.js'
import { clientOf } from './http-call.js'

/** A `find` or `get` on behalf of a subscriber of events, with all guards and hooks. */
export interface Probe {
  readonly method: 'find' | 'get'
  /** Returns a result in place of the method. Without it, the method runs. */
  replaceMethod?(): unknown
  /** The params that the method got; `undefined` if the call did not reach it. */
  params: Readonly<Record<string, unknown>> | undefined
  /** The path of the service that was called. */
  path: string | undefined
  /** The fields that hooks leave in the result. `undefined`: all. */
  fields?: readonly string[] | undefined
  /** The fields that hooks bind to placeholders of the path, by placeholder. */
  parentFields?: Readonly<Record<string, string>> | undefined
}

const requestState = Symbol('request state')

/** The state of a request. Decorations would cost requests of other routes, too. */
class RequestState {
  /** The properties that middleware has set on `request.feathers`. */
  properties: Record<string, unknown> | undefined = undefined
  /** The data of a form with files, until validation reads it. */
  form: { readonly data: unknown } | undefined = undefined
  /** Whether another framework is about to answer the request. */
  isForwarded = false
  /** The content type of the reply before middleware ran. */
  typeBefore: string | undefined = undefined
  /** The headers of the reply before the result has set its own. */
  headersBefore: Readonly<Record<string, number | string | string[] | undefined>> | undefined = undefined
  /** Whether the only link of the reply leads to the next page. */
  hasNextLink = false
  /** The walk by cursors that the request goes on with. */
  walk: ListWalk | undefined = undefined
  // The server sends requests to its own routes, and sets these on the raw request.
  /** The query, in place of the one in the URL. */
  query: Query | undefined = undefined
  /** The question that the request is for. */
  probe: Probe | undefined = undefined
  /** The tool that an agent calls by the request. */
  mcp: McpCall | undefined = undefined
  /** Runs the call in the transaction of a batch. */
  runInBatch: ((context: HookContext, run: Run) => Promise<void>) | undefined = undefined
  #hook: HookContext | null = null
  #hasSent = false
  #sent: unknown

  /** The context of the call, for `reply.hook`. */
  get hook(): HookContext | null {
    if (this.#hasSent) {
      const sent = { value: this.#sent, writable: true, enumerable: true, configurable: true }
      const hasDispatch = this.#hook?.dispatch !== undefined
      this.#hook = Object.create(this.#hook, { result: sent, ...(hasDispatch && { dispatch: sent }) })
      this.#hasSent = false
    }
    return this.#hook
  }

  set hook(context: HookContext | null) {
    this.#hasSent = false
    this.#hook = context
  }

  /**
   * Lets `reply.hook` show the projected data as its result, not what the context has. Few read it,
   * so the object is created then.
   */
  showSent(data: unknown): void {
    this.#hasSent = true
    this.#sent = data
  }
}

type WithState = { [requestState]?: RequestState }

/** Returns the state of a request, and creates it at first. */
export function requestStateOf(request: object): RequestState {
  const { [requestState]: ready } = request as WithState
  if (ready !== undefined) return ready
  const state = new RequestState()
  ;(request as WithState)[requestState] = state
  return state
}

/** Returns the walk of a request, `undefined` if it has none. */
export const walkOf = (request: object) => (request as WithState)[requestState]?.walk

/** Returns the query that the server has set on a raw request, `undefined` for requests of clients. */
export const queryOf = (raw: object) => (raw as WithState)[requestState]?.query

/** Returns the properties of `request.feathers`, `undefined` if nothing has used it. */
export const propertiesOf = (request: object) => (request as WithState)[requestState]?.properties

/**
 * Returns the state of the raw request that a call was made by. `undefined` for a call of the
 * server, also if a hook makes it with the params of a request.
 */
export function rawStateOf(context: HookContext): RequestState | undefined {
  const request = clientOf(context)?.request as { readonly raw: WithState } | undefined
  return request?.raw[requestState]
}

/** Runs a call of a request, in the transaction of its batch if it is part of one. */
export function runCallOf(raw: object, context: HookContext, run: Run): Promise<void> {
  const runInBatch = (raw as WithState)[requestState]?.runInBatch
  return runInBatch === undefined ? run(context) : runInBatch(context, run)
}
