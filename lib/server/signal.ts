import type { HookContext } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { callStateOf } from '../core/call-state.js'
import { type Carrier, caller, callerIn } from '../core/http-call.js'
import { lazySignal, RestParams, routeOfTexts } from './request/arguments.js'

/**
 * Gives the params of a call `params.signal`, which aborts when the client has left. Params that a
 * hook has replaced get it again, and the values of `params.route` become strings, as in a URL.
 */
export function attachSignal(context: HookContext, params: unknown): void {
  const route = params instanceof RestParams ? undefined : routeOfTexts(Object(params).route)
  if (route !== undefined) {
    // The setter calls this function again.
    context.params = { ...(params as Params), route }
    return
  }
  const state = callStateOf(context)
  const httpCaller = callerIn(params) ?? state.caller
  if (httpCaller === undefined) return
  state.caller = httpCaller
  if (typeof params !== 'object' || params === null || 'signal' in params || !Object.isExtensible(params)) return
  ;(params as Carrier)[caller] = httpCaller.token
  Object.defineProperty(params, 'signal', lazySignal)
}

/** @throws the reason of the signal, if nobody waits for the result of a call any more */
export function throwIfAborted(context: HookContext): void {
  // A signal that is enumerable was set by a hook or by the caller of the service. It replaces that
  // of the request.
  const params: { signal?: AbortSignal } = Object(context.params)
  const signal = isEnumerable.call(params, 'signal') ? params.signal : undefined
  if (signal === undefined) callStateOf(context).caller?.throwIfGone()
  else if (signal?.aborted) throw signal.reason
}

const isEnumerable = Object.prototype.propertyIsEnumerable
